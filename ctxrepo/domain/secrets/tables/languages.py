"""Words for a secret, in the languages that teams write, and vendors whose name stands for one."""

from __future__ import annotations

import unicodedata

PASSWORDS = """
    contraseña contrasena contrasenya contrasinal mot+de+passe motdepasse mot_de_passe mdp kennwort passwort
    kennw losungswort zugangscode senha palavra-passe parola parola+d'ordine wachtwoord toegangscode lösenord losenord lösen
    adgangskode kodeord passord salasana tunnussana lykilorð hasło haslo heslo jelszó jelszo parolă
    lozinka zaporka geslo šifra лозинка пароль парола құпиясөз slaptažodis parole salasõna parool
    κωδικός συνθηματικό şifre sifre şifrə كلمة+المرور كلمة+السر رمز+عبور گذرواژه סיסמה סיסמא पासवर्ड
    รหัสผ่าน mật+khẩu mat+khau kata+sandi kata+laluan nenosiri pasahitza pasvorto cyfrinair fjalëkalimi
    密码 密碼 口令 パスワード 暗証番号 パスフレーズ 비밀번호 암호 패스워드
"""
VENDORS_NAMES = """
    adafruit algolia airtable alibaba amplitude asana auth0 bitbucket bittrex bugsnag cloudflare cloudinary codacy
    codecov cohere coinbase confluent contentful datadog deepgram deepl discord dropbox droneci etsy facebook fastly
    finicity finnhub firebase flickr freshbooks freshdesk gitter gocardless heroku hubspot infura intercom ipinfo
    jenkins jfrog kraken kucoin klaviyo launchdarkly linkedin loggly logdna mailchimp mailgun mailjet mapbox
    mattermost messagebird mistral mixpanel netlify newrelic nexmo okta openai openweather openweathermap opsgenie
    pagerduty paypal paystack plaid plivo postmark pubnub pusher rapidapi recaptcha rollbar sendbird sendgrid
    sendinblue shodan snyk sonar spotify squarespace strava stripe sumologic telegram todoist trello twilio twitch
    twitter typeform unsplash vonage webflow wrike yandex zendesk zoho zoom
"""
"""Their secrets have no beginning of their own."""
SECRETS = """
    geheimnis schlüssel schluessel zugangsdaten anmeldedaten jeton clé secreto clave credenciales segredo chave
    credenciais segreto chiave credenziali geheim sleutel inloggegevens hemlighet nyckel nøgle nøkkel hemmelighet
    avain salaisuus klucz sekret klíč tajemství kľúč kulcs titok cheie ključ кључ ключ секрет токен κλειδί
    anahtar gizli المفتاح מפתח khóa kunci rahasia 密钥 密鑰 秘钥 金鑰 令牌 シークレット 秘密鍵 キー トークン 토큰 키 시크릿
"""
"""A plus stands for the blank in a phrase."""

ANNOUNCE_WORDS = """
    pass pwd pw pswd psw mdp kennw kennwort contraseñ contrasen contrasinal senha parol hasł wachtwoord ww lösen losen
    adgangskod kodeord salasan tunnussana lykilor heslo hesla heslem jelsz lozink zapork geslo gesla šifr
    лозинк парол құпиясөз slaptažod salasõn κωδικ συνθηματικ şifre sifre şifrə كلمة+المرور كلمة+السر رمز+عبور
    گذرواژه סיסמ पासवर्ड รหัสผ่าน mật+khẩu kata+sandi kata+laluan nenosiri pasahitz pasvort cyfrinair fjalëkalim
    密码 密碼 口令 暗証番号 パスワード パスフレーズ 비밀번호 비번 암호 패스워드 пасс sandi wifi wlan вайфа вай-фа 와이파이 identifiant
    inloggning inloggen innlogging kirjautum logowan logowania anmeldung přihlá prihl bejelentkez giriş autentificar вход accesso acceso accès acesso
    clave login credential geheimwort community communaut rocommunity rwcommunity securestring pscredential
"""
"""How words for a password begin, whatever ending a language gives them."""
ANNOUNCE_KEYS = """
    secret token key credential psk pat geheim schlüssel schluessel zugangsdat anmeldedat jeton clé clés clef secreto credencial
    segredo chave credenciai segreto chiave credenzial sleutel inloggegeven hemlig nyckel nøgle nøkkel hemmelig
    avain salaisuus avaime klucz sekret klíč tajemstv kľúč kulcs titok cheie ključ кључ ключ секрет токен κλειδ anahtar
    gizli المفتاح מפתח khóa kunci rahasia 密钥 密鑰 秘钥 金鑰 令牌 シークレット 秘密鍵 キー トークン 토큰 키 시크릿 cookie
    salt pepper seed credential jwt sid sk session sessionid keytab keyfile auth authori authtoken unseal importprivkey webhook wep xpub totp otp mfa 2fa
    signing_key private_key 秘密 ключа licence license unlock log+in sign+in logon encrypt plaintext keyring
"""
ANNOUNCE_CODES = """
    pin puk pin1 pin2 puk1 puk2 code codes codice codici código codigo códigos kod kód koden kode kodu koda koodi код
    combination kombination combinación combinaison combinazione geheimzahl コード 暗証番号 码 密码 코드 digicode tan cvv cvc cvv2 cvc2
"""
"""Words for a number that opens something."""
PLACES = (
    r"(?<![a-z])pins?[0-9]?(?![a-z])|(?<![a-z])puk[12]?(?![a-z])|(?<![a-z])cv[vc]2?(?![a-z])|pin[ -]?(?:code|number|\xd0)|door|gate|alarm|safe\b|lock|key ?box|keypad|garage|entrance|entry|access code|intercom|"
    r"cabinet|server ?room|porte|portail|coffre|puerta|caja fuerte|portón|porta|cancello|allarme|cassaforte|cofre|tür|tuer|tresor|"
    r"deur|kluis|poort|drzwi|bram|sejf|двер|сейф|домофон|ворот|ovi|dör|dør|larm|kapı|kasa|ドア|金庫|门|保险|문|geheimzahl|digicode"
)


def _spellings(word: str) -> set[bytes]:
    """How a word may be written: as it is, with a capital, in capitals; its accents apart or not.

    Letters of ASCII are in lower case, as in the text that is searched.
    """
    cased = {word, word.capitalize(), word.upper()}
    formed = {unicodedata.normalize(form, w) for w in cased for form in ("NFC", "NFD")}
    return {w.encode().lower() for w in formed}


def spellings_of(listed: str) -> set[bytes]:
    return {spelling for word in listed.split() for spelling in _spellings(word.replace("+", " "))}
