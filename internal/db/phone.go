package db

import "time"

// PhoneSilent is how long a phone may send nothing, while its trader gets
// payments, before the trader and operators are told.
const PhoneSilent = 30 * time.Minute
