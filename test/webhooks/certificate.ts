/**
 * The receivers' certificate in tests: for receiver.test and its subdomains, localhost and 127.0.0.1, from 2000 to 2126,
 * self-signed. Only clients configured for it trust it, so its key is no secret.
 */
export const cert = `-----BEGIN CERTIFICATE-----
MIIBkDCCATWgAwIBAgIBATAKBggqhkjOPQQDAjAYMRYwFAYDVQQDDA1yZWNlaXZl
ci50ZXN0MCAXDTAwMDEwMTAwMDAwMFoYDzIxMjYwMTAxMDAwMDAwWjAYMRYwFAYD
VQQDDA1yZWNlaXZlci50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEIZp1
JB9rxzJG0G9bWX4nR7jeyW1ks1OCLhgYrxkEqAqJRgE0KBtjpmLMMJTuAQuxx1C8
iJWS4/yzWMMNOVH4UKNuMGwwDwYDVR0TAQH/BAUwAwEB/zA6BgNVHREEMzAxgg1y
ZWNlaXZlci50ZXN0gg8qLnJlY2VpdmVyLnRlc3SCCWxvY2FsaG9zdIcEfwAAATAd
BgNVHQ4EFgQUvNjej5+qkXvKkSht9MOeLZMTmpYwCgYIKoZIzj0EAwIDSQAwRgIh
AKv5tlQ09hJxuPNr3LCsXlc4NF40JLVwRA18CSHc/hIQAiEAt3tTWvoZnDIEanNk
qbGMjUgZEKgqcd0/p8d3qbpjsYk=
-----END CERTIFICATE-----
`

export const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgU6OPNH+c4EoFjxAS
mgv6xnethKsU96kML8v57cODEAihRANCAAQhmnUkH2vHMkbQb1tZfidHuN7JbWSz
U4IuGBivGQSoColGATQoG2OmYswwlO4BC7HHULyIlZLj/LNYww05UfhQ
-----END PRIVATE KEY-----
`
