/**
 * Common passwords of ten characters or more, from lists of leaked passwords. Compared in lower case and without
 * spaces.
 */
export const commonPasswords: ReadonlySet<string> = new Set(
  `0123456789 01234567890 0987654321 1029384756 1122334455 11223344556677 1231231231 123123123123 1234512345 123456123456
1234567890 12345678900 1234567890a 1234567890q 12345678901 123456789012 12345678910 1234567891 12345678912 123456789123
123456789a 123456789abc 123456789q 123456789qwe 12345qwert 123qweasdzxc 147258369 1472583690 147852369 1478523690 1593572468
1a2b3c4d5e 1a2s3d4f5g 1q2w3e4r5t 1q2w3e4r5t6y 1q2w3e4r5t6y7u 1qaz2wsx3edc 1qaz2wsx3edc4rfv 1qazxsw23edc 3.1415926535
3.14159265 741852963 7418529630 789456123 7894561230 963852741 9876543210 987654321 9876543211 a123456789 a1234567890 a1b2c3d4e5
aa12345678 aa123456789 abc123456789 abcd123456 abcd12345678 abcdef123456 abcdefghij abcdefghijk abcdefghijkl asd123456789
asdasdasdasd asdf123456 asdf1234567 asdfasdfasdf asdfghjkl asdfghjkl1 asdfghjkl123 asdfghjkl; asdfghjklqwertyuiop asdfqwer1234
azerty123456 azertyuiop azertyuiop1 correcthorsebatterystaple iloveyou1314 iloveyou3000 ncc1701abcd ncc1701d1701 p0o9i8u7y6
poiuytrewq q1w2e3r4t5 q1w2e3r4t5y6 q1w2e3r4t5y6u7 qazwsx123456 qazwsxedc1 qazwsxedc123 qazwsxedcrfv qazwsxedcrfvtgb
qqww1122334455 qwaszx1234 qwe123456789 qweasd123456 qweasdzxc1 qweasdzxc123 qweqweqweqwe qwer1234qwer qwerasdfzxcv qwert12345
qwert123456 qwerty0987 qwerty1234567890 qwerty7890 qwertyqwerty qwertyuiop qwertyuiop1 qwertyuiop123 qwertyuiopasdfghjkl
qwertyuiopasdfghjklzxcvbnm qwertzuiop qwertzuiop1 trustno1trustno1 zaq12wsxcde3 zaq1xsw2cde3 zaqxswcde123 zxcvbnm123
zxcvbnm12345 zxcvbnmasdfghjkl zxcvbnmlkjhgfdsaqwertyuiop`.split(/\s+/),
)

/** Common words. A word with digits or symbols before or after it, such as `Password2026!`, is not accepted either. */
export const commonWords: ReadonlySet<string> = new Set(
  `abc abcd admin administrator adminadmin alexander america andrea anthony apple arsenal asdf asdfgh asdfghjkl azerty babygirl
bailey barcelona baseball basketball batman bitcoin blink butterfly california changeme changemenow charlie cheese chelsea chocolate
christopher computer daniel default defaultpassword demo dragon elizabeth ethereum facebook football forever freedom google guest
hallo hello helloworld hottie hunter iloveu iloveyou internet jennifer jessica jordan juventus killer letmein letmeinnow linkedin
liverpool login lovely loveme manager manchester master matthew maverick michael michelle minecraft monkey motdepasse mustang
mypassword mysecret naruto nicole nothing p@ss p@ssw0rd p@ssword parola pass passord passw0rd passwd password passwordpassword
passwort patrick paymachine payment payments phoenix pokemon princess qazwsx qazwsxedc qwert qwerty qwertyuiop qwertz realmadrid
robert root rootroot samsung secret secretpassword senha shadow shop slipknot soccer spiderman starwars sunshine superman
superuser sysadmin temp temporary test tester testing testpassword testtest thepassword thisismypassword thomas tinkle toor
trustno unknown user username volleyball wachtwoord welcome welcomeback whatever wordpass yellow yourpassword zaq zxcvbn zxcvbnm`.split(
    /\s+/,
  ),
)
