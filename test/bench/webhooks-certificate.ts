/**
 * The receivers' certificate: for the names in receivers.test, from 2000 to 2126, self-signed. Only clients configured
 * for it trust it, so its key is no secret.
 */
export const cert = `-----BEGIN CERTIFICATE-----
MIIBcjCCARigAwIBAgIBATAKBggqhkjOPQQDAjAZMRcwFQYDVQQDDA5yZWNlaXZl
cnMudGVzdDAgFw0wMDAxMDEwMDAwMDBaGA8yMTI2MDEwMTAwMDAwMFowGTEXMBUG
A1UEAwwOcmVjZWl2ZXJzLnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATY
kKdlkoTF0KTmyFr6ekf0dO+HVZTM8jBsktcDrGz4onY+7ZMxxk3VhLM4N8o2yZuQ
2a32ecFdjz2/GxvaqfYUo08wTTAbBgNVHREEFDASghAqLnJlY2VpdmVycy50ZXN0
MA8GA1UdEwEB/wQFMAMBAf8wHQYDVR0OBBYEFMju7d51Z+zYvg7yD52hxNyH3oWF
MAoGCCqGSM49BAMCA0gAMEUCIQC1r/UGgQCSFObvb29TspDALQa8pwlOADmJUSaO
aCAkcwIgC5ZBG+2WAeYijTdDlrFISNJqPLm6XMpFMQaoY6MKPGs=
-----END CERTIFICATE-----
`

export const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgsbkwucRe3/wrBQkb
FALPapnbjonm3FBfnsYoSQyzk8ChRANCAATYkKdlkoTF0KTmyFr6ekf0dO+HVZTM
8jBsktcDrGz4onY+7ZMxxk3VhLM4N8o2yZuQ2a32ecFdjz2/GxvaqfYU
-----END PRIVATE KEY-----
`
