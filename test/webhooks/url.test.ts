import { expect, test } from 'bun:test'
import { parseEnv } from '../../src/env.ts'
import { urlProblems } from '../../src/webhooks/target.ts'
import { checkUrl, checkUrlAndAddresses } from '../../src/webhooks/url.ts'

const closed = parseEnv({}).webhooks
const open = parseEnv({ WEBHOOK_ALLOW: '127.0.0.0/8,::1', WEBHOOK_PORTS: '443,9443' }).webhooks

/** The default rules, and rules with loopback allowed for development, in live and in test mode. */
const urls = `
  https://shop.example.com/hooks?a=b#c   ok            ok            ok
  HTTPS://Shop.Example.com               ok            ok            ok
  https://shop.example.com./hooks        ok            ok            ok
  https://bücher.example/                ok            ok            ok
  https://some_name.example/             ok            ok            ok
  https://93.184.216.34/                 ok            ok            ok
  https://[2606:4700::1111]/             ok            ok            ok
  https://[::ffff:93.184.216.34]/        ok            ok            ok
  http://shop.example.com/               not_https     not_https     ok
  http://93.184.216.34/                  not_https     not_https     not_https
  http://127.0.0.1:9000/                 not_https     not_https     ok
  http://localhost:9000/                 not_https     not_https     ok
  http://a.localhost./                   not_https     not_https     ok
  http://[::1]:9000/                     not_https     not_https     ok
  http://10.0.0.1/                       not_https     not_https     not_https
  https://127.0.0.1/                     not_public    ok            ok
  https://127.0.0.1:9000/                closed_port   ok            ok
  https://localhost/                     not_public    ok            ok
  https://127.1/                         not_public    ok            ok
  https://127.0.0.1./                    not_public    ok            ok
  https://2130706433/                    not_public    ok            ok
  https://0x7f000001/                    not_public    ok            ok
  https://0x7F.1/                        not_public    ok            ok
  https://017700000001/                  not_public    ok            ok
  https://0177.0.0.1/                    not_public    ok            ok
  https://%31%32%37.0.0.1/               not_public    ok            ok
  https://127。0。0。1/                   not_public    ok            ok
  https://１２７.0.0.1/                   not_public    ok            ok
  https://[::FFFF:7f00:1]/               not_public    ok            ok
  https://[0:0:0:0:0:0:0:1]/             not_public    ok            ok
  https://0/                             not_public    not_public    not_public
  https://10.1/                          not_public    not_public    not_public
  https://0xa9fea9fe/                    not_public    not_public    not_public
  https://169.254.169.254/latest         not_public    not_public    not_public
  https://[64:ff9b::10.0.0.1]/           not_public    not_public    not_public
  https://[2002:7f00:1::]/               not_public    not_public    not_public
  https://[fd00::1]/                     not_public    not_public    not_public
  https://shop.example.com:443/          ok            ok            ok
  https://shop.example.com:8443/         ok            ok            ok
  https://93.184.216.34:8443/            ok            closed_port   closed_port
  https://93.184.216.34:9443/            closed_port   ok            ok
  https://shop.example.com:22/           closed_port   ok            ok
  https://shop.example.com:0/            closed_port   ok            ok
  https://shop.example.com:65536/        malformed     malformed     malformed
  https://me@shop.example.com/           has_userinfo  has_userinfo  has_userinfo
  https://me:secret@shop.example.com/    has_userinfo  has_userinfo  has_userinfo
  https://@shop.example.com/             has_userinfo  has_userinfo  has_userinfo
  https://:@shop.example.com/            has_userinfo  has_userinfo  has_userinfo
  https://shop.example.com/@me           ok            ok            ok
  https://[fe80::1%25eth0]/              malformed     malformed     malformed
  https://[::1                           malformed     malformed     malformed
  https://256.0.0.1/                     malformed     malformed     malformed
  https://1.2.3.4.5/                     malformed     malformed     malformed
  https://09.1.1.1/                      malformed     malformed     malformed
  https://shop.example.com../            malformed     malformed     malformed
  https://.example.com/                  malformed     malformed     malformed
  https://a!b.example.com/               malformed     malformed     malformed
  https:///hooks                         malformed     malformed     malformed
  https:shop.example.com                 malformed     malformed     malformed
  https:\\\\shop.example.com             malformed     malformed     malformed
  https://shop.example.com\\@127.0.0.1/  malformed     malformed     malformed
  shop.example.com/hooks                 malformed     malformed     malformed
  ftp://shop.example.com/                malformed     malformed     malformed
  file:///etc/passwd                     malformed     malformed     malformed
  javascript:alert(1)                    malformed     malformed     malformed`

test.each(
  urls
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/)),
)('%s is %s; with loopback allowed, %s live and %s in test mode', (url = '', usually, live, inTest) => {
  expect([checkUrl(url, false, closed), checkUrl(url, true, open), checkUrl(url, false, open)].map(String)).toEqual([
    String(usually),
    String(live),
    String(inTest),
  ])
})

test('white space and control characters are not allowed in a URL', () => {
  for (const url of [
    ' https://a.example',
    'https://a.example ',
    'https://a.exa\tmple',
    'https://a.example/\r\nx: y',
    '',
  ])
    expect(checkUrl(url, false, closed)).toBe('malformed')
})

test('a URL may have 2,048 characters, and a name 253', () => {
  const url = 'https://a.example/'.padEnd(2_048, 'x')
  expect(checkUrl(url, true, closed)).toBe('ok')
  expect(checkUrl(`${url}x`, true, closed)).toBe('too_long')
  expect(checkUrl(`https://${'abcdefg.'.repeat(31)}abcde/`, true, closed)).toBe('ok')
  expect(checkUrl(`https://${'abcdefg.'.repeat(31)}abcdef/`, true, closed)).toBe('malformed')
})

test('every fault has a sentence that begins with the field', () => {
  for (const sentence of Object.values(urlProblems)) expect(sentence).toMatch(/^url .*\.$/)
})

/** The addresses of a name, and the verdict about its URL: by default, and with loopback allowed in test mode. */
test.each([
  ['https://a.example/', '93.184.216.34', 'ok', 'ok'],
  ['https://a.example/', '93.184.216.34 2606:4700::1111', 'ok', 'ok'],
  ['https://a.example/', '10.0.0.1', 'not_public', 'not_public'],
  ['https://a.example/', '::ffff:10.0.0.1', 'not_public', 'not_public'],
  ['https://a.example/', '93.184.216.34 10.0.0.1', 'not_public', 'not_public'],
  ['https://a.example/', '93.184.216.34 ::1', 'not_public', 'ok'],
  ['https://a.example/', '93.184.216.34 fe80::1', 'not_public', 'not_public'],
  ['https://a.example/', '127.0.0.1', 'not_public', 'ok'],
  ['https://a.example:9000/', '127.0.0.1', 'closed_port', 'ok'],
  ['https://a.example:9000/', '127.0.0.1 93.184.216.34', 'closed_port', 'closed_port'],
  ['http://a.example/', '127.0.0.1', 'not_https', 'ok'],
  ['http://a.example/', '93.184.216.34', 'not_https', 'not_https'],
  ['http://a.example/', '127.0.0.1 93.184.216.34', 'not_https', 'not_https'],
  ['https://a.example/', 'nonsense', 'not_public', 'not_public'],
])('%s that resolves to %s is %s, and with loopback allowed %s', async (url, addresses, usually, opened) => {
  const resolve = async () => addresses.split(' ')
  expect(String(await checkUrlAndAddresses(url, false, closed, resolve))).toBe(usually)
  expect(String(await checkUrlAndAddresses(url, false, open, resolve))).toBe(opened)
})

test('a name that does not resolve yet is accepted', async () => {
  expect(
    await checkUrlAndAddresses('https://a.example/', true, closed, () => Promise.reject(new Error('not found'))),
  ).toBe('ok')
  expect(await checkUrlAndAddresses('https://a.example/', true, closed, async () => [])).toBe('ok')
})

test('localhost and addresses are not looked up', async () => {
  const asked: string[] = []
  const resolve = async (name: string) => {
    asked.push(name)
    return ['93.184.216.34']
  }
  for (const url of ['https://localhost/', 'https://a.localhost./', 'https://0x7f.1/', 'https://[::1]/'])
    expect(await checkUrlAndAddresses(url, true, closed, resolve)).toBe('not_public')
  expect(asked).toEqual([])
})
