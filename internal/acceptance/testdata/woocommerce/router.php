<?php

/** The shop's web server. While the file away is there, the shop is away. */

if (file_exists(getenv('SITE') . '/away')) {
    http_response_code(503);
    return;
}
require __DIR__ . '/wordpress.php';
wp();
