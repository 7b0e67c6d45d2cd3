package account

import (
	"gateway.example/web/portal/say"
)

// An owner's consent to users whom operators let in.
var (
	sayConsentTitle = say.Both("Do you know these users?", "Вы знаете этих пользователей?")
	sayConsentText  = say.Both(
		"An operator of the platform has let them in or given them more rights. Until you answer they can only look, and after the time below they can do what their role includes.",
		"Оператор платформы впустил их или расширил их права. Пока вы не ответите, они могут только смотреть, а после указанного срока — всё, что включает их роль.",
	)
	sayConsentRefuseText = say.Both(
		"If you do not know somebody, refuse: they are switched off and signed out at once.",
		"Если не знаете кого-то, откажите: доступ сразу закроется, а сеансы завершатся.",
	)
	sayConsentNone   = say.Both("Nobody waits for your answer.", "Никто не ждёт вашего ответа.")
	sayConsentSince  = say.Both("Let in", "Доступ открыт")
	sayConsentAccept = say.Both("Accept", "Принять")
	sayConsentRefuse = say.Both("Refuse and switch off", "Отказать и выключить")
)

// Signing in, second factors, invitations.
var (
	saySignIn           = say.Both("Sign in", "Вход")
	sayWrongCredentials = say.Both("Login or password is wrong.", "Неверный логин или пароль.")
	sayLostPassword     = say.Both(
		"Lost your password? The owner of your account or the operator sends you a new invitation.",
		"Забыли пароль? Владелец учётной записи или оператор пришлёт новое приглашение.",
	)
	saySecondFactor     = say.Both("Second factor", "Второй фактор")
	saySecondFactorText = say.Both(
		"Your password was right. One more proof that it is you:",
		"Пароль верный. Ещё одно подтверждение, что это вы:",
	)
	saySecondFactorAgain = say.Both(
		"This needs a fresh proof that it is you. It holds for five minutes.",
		"Для этого нужно свежее подтверждение, что это вы. Оно действует пять минут.",
	)
	sayFactorCode     = say.Both("Code", "Код")
	sayFactorCodeHint = say.Both(
		"Six digits from your authenticator app, or one of your recovery codes",
		"Шесть цифр из приложения-аутентификатора или один из кодов восстановления",
	)
	sayUsePasskey    = say.Both("Use a passkey", "Использовать ключ доступа")
	sayPasskeyFailed = say.Both(
		"The passkey was not used. Try again, or use a code.",
		"Ключ доступа не использован. Попробуйте ещё раз или введите код.",
	)
	sayFactorLocked = say.Both(
		"Too many wrong codes were given, so the second factor is locked. Ask for a new invitation, as if it were lost.",
		"Введено слишком много неверных кодов, второй фактор заблокирован. Попросите новое приглашение, как при его утере.",
	)
	sayWrongFactor     = say.Both("This is wrong, or was already used.", "Неверно или уже использовано.")
	sayContinue        = say.Both("Continue", "Продолжить")
	saySetUpFactor     = say.Both("Set up a second factor", "Настройка второго фактора")
	saySetUpFactorText = say.Both(
		"A password alone can be guessed or stolen. With a second factor nobody signs in by it alone.",
		"Пароль могут подобрать или украсть. Со вторым фактором одного пароля мало.",
	)
	saySetUpFactorMust  = say.Both("Your account works only with one.", "Без него учётная запись не работает.")
	saySetUpPasskey     = say.Both("Add a passkey", "Добавить ключ доступа")
	saySetUpPasskeyText = say.Both(
		"Your device keeps it: you sign in with its fingerprint, face or PIN. Nothing can be typed into a false page.",
		"Его хранит ваше устройство: вход по отпечатку, лицу или PIN. На поддельной странице вводить нечего.",
	)
	saySetUpApp     = say.Both("Set up an authenticator app", "Настройка приложения-аутентификатора")
	saySetUpAppText = say.Both(
		"An app on your phone shows a new code every 30 seconds.",
		"Приложение на телефоне показывает новый код каждые 30 секунд.",
	)
	sayAppScan = say.Both(
		"Scan this with the app, or open it on this phone:",
		"Отсканируйте приложением или откройте на этом телефоне:",
	)
	sayAppOpen   = say.Both("Open in the app", "Открыть в приложении")
	sayAppSecret = say.Both("Or type this secret into it:", "Или введите в него этот секрет:")
	sayAppCode   = say.Both("The code that the app shows", "Код, который показывает приложение")
	sayWrongCode = say.Both(
		"This is not the code. Check the clock of your phone.",
		"Код не подходит. Проверьте время на телефоне.",
	)
	sayPasskeyName        = say.Both("Name, to tell it from others", "Название, чтобы отличать от других")
	sayPasskeyNameExample = say.Both("Work laptop", "Рабочий ноутбук")
	sayWrongPasskey       = say.Both(
		"The passkey was not added. Check the name and try again.",
		"Ключ доступа не добавлен. Проверьте название и попробуйте ещё раз.",
	)
	sayNeedsScript = say.Both(
		"Passkeys need scripts in your browser. Use an authenticator app instead.",
		"Для ключей доступа нужны скрипты в браузере. Используйте приложение-аутентификатор.",
	)
	sayRecoveryCodes     = say.Both("Recovery codes", "Коды восстановления")
	sayRecoveryCodesText = say.Both(
		"Keep these where you find them without your phone. Each works once, in place of the second factor. They are not shown again.",
		"Сохраните их там, где найдёте без телефона. Каждый действует один раз вместо второго фактора. Больше они не покажутся.",
	)
	sayRecoveryCodesKept  = say.Both("I have saved them", "Я их сохранил")
	sayWelcome            = say.Both("Welcome", "Добро пожаловать")
	sayWelcomeText        = say.Both("You sign in as %s. Choose a password.", "Ваш логин: %s. Придумайте пароль.")
	sayInvitationCode     = say.Both("Code of the invitation", "Код приглашения")
	sayInvitationCodeHint = say.Both(
		"Ask %s for it, who approved your invitation. Whoever gave you the link does not have it.",
		"Спросите код у того, кто подтвердил приглашение: %s. У того, кто дал вам ссылку, его нет.",
	)
	sayNewPassword  = say.Both("New password", "Новый пароль")
	sayPasswordHint = say.Both(
		"At least 12 characters. A few unrelated words are easy to remember and hard to guess.",
		"Не меньше 12 символов. Несколько несвязанных слов легко запомнить и трудно подобрать.",
	)
	sayPasswordAgain = say.Both("The same again", "Ещё раз")
	sayNotTheSame    = say.Both("The two are not the same.", "Пароли не совпадают.")
	saySetPassword   = say.Both("Set the password", "Установить пароль")
)

// The account of a user.
var (
	sayYourRole    = say.Both("Role", "Роль")
	sayPreferences = say.Both("Preferences", "Настройки")
	sayZone        = say.Both("Time zone", "Часовой пояс")
	sayZoneHint    = say.Both(
		"As in Europe/Istanbul. All times are shown in it.",
		"Например, Europe/Istanbul. В нём показано всё время.",
	)
	sayZoneHere     = say.Both("Use this browser's:", "Взять из браузера:")
	sayLanguage     = say.Both("Language", "Язык")
	sayLanguageAuto = say.Both("As in the browser", "Как в браузере")
	sayMachine      = say.Both(
		"This translation is checked by machine only: nobody whose language it is has read it yet.",
		"Этот перевод проверен только машиной: носитель языка его ещё не читал.",
	)
	sayTheme          = say.Both("Colours", "Цвета")
	sayThemeSystem    = say.Both("As in the system", "Как в системе")
	sayThemeLight     = say.Both("Light", "Светлые")
	sayThemeDark      = say.Both("Dark", "Тёмные")
	sayShortcutsOn    = say.Both("Keys of one letter (j, k, c, /)", "Клавиши из одной буквы (j, k, c, /)")
	saySecurity       = say.Both("Security", "Безопасность")
	sayChangePassword = say.Both("Change the password", "Сменить пароль")
	sayOldPassword    = say.Both("Current password", "Текущий пароль")
	sayWrongPassword  = say.Both("This is not your password.", "Это не ваш пароль.")
	sayPasswordEnds   = say.Both("All your other sessions end.", "Все остальные сеансы завершатся.")
	sayApp            = say.Both("Authenticator app", "Приложение-аутентификатор")
	sayAppOn          = say.Both("It is set up", "Настроено")
	sayAppOff         = say.Both("Not set up", "Не настроено")
	sayPasskeys       = say.Both("Passkeys", "Ключи доступа")
	sayRemove         = say.Both("Remove", "Удалить")
	saySetUp          = say.Both("Set up", "Настроить")
	sayUsedAt         = say.Both("Used %s", "Использован %s")
	sayNeverUsed      = say.Both("Not used yet", "Ещё не использован")
	sayRenewCodes     = say.Both("Create new ones", "Создать новые")
	saySessions       = say.Both("Where you are signed in", "Где выполнен вход")
	sayThisSession    = say.Both("This one", "Этот сеанс")
	sayAPISession     = say.Both("API", "API")
	sayEndSession     = say.Both("End", "Завершить")
	sayEndSessions    = say.Both("End all others", "Завершить остальные")
)

// Operators who look as another user.
var (
	sayViewAs     = say.Both("View as another user", "Посмотреть как другой пользователь")
	sayViewAsText = say.Both(
		"You see what they see for 30 minutes at most, and change nothing. It is written to the log of settings.",
		"Вы видите то же, что и он, не дольше 30 минут и ничего не меняете. Это попадает в журнал настроек.",
	)
	sayViewAsUser = say.Both("Login or number of the user", "Логин или номер пользователя")
)
