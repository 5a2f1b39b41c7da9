import { expect, test } from 'bun:test'
import { parseRecoveryFile, type Recovery, writeRecoveryFile } from '../../../src/chain/recovery/file.ts'
import { StartError } from '../../../src/process/start-error.ts'

const recovery: Recovery = {
  treasuries: [{ address: '0x52908400098527886e0f7030069857d2e4169ee7', codeHash: null, onlyOn: null }],
  secret: new Uint8Array(32).fill(0xab),
  highestCounter: 41,
  chains: [
    {
      chainId: 31337,
      tokens: [{ asset: 'TUSD', address: '0x8617e340b3d01fa5f11f306f4090fd50e238070d', decimals: 6 }],
    },
  ],
}

test('a written recovery file can be read, with a key and with a contract as treasury', () => {
  expect(parseRecoveryFile(writeRecoveryFile(recovery))).toEqual(recovery)
  const codeHash = `0x${'cd'.repeat(32)}` as const
  const treasuries = recovery.treasuries.flatMap(each => [each, { ...each, codeHash, onlyOn: 31337 }])
  const contract = { ...recovery, treasuries, highestCounter: null }
  expect(parseRecoveryFile(writeRecoveryFile(contract))).toEqual(contract)
})

test('files of earlier versions stay readable', () => {
  expect(JSON.parse(writeRecoveryFile(recovery))).toMatchInlineSnapshot(`
    {
      "chains": [
        {
          "chainId": 31337,
          "tokens": [
            {
              "address": "0x8617e340b3d01fa5f11f306f4090fd50e238070d",
              "asset": "TUSD",
              "decimals": 6,
            },
          ],
        },
      ],
      "factory": "0xfee2254a07d11ed07be7df776cd6f13ddd5e6f3f",
      "highestCounter": 41,
      "secret": "abababababababababababababababababababababababababababababababab",
      "treasuries": [
        {
          "address": "0x52908400098527886e0f7030069857d2e4169ee7",
          "codeHash": null,
          "onlyOn": null,
        },
      ],
      "version": 1,
    }
  `)
})

test('a file of a version without token lists has no tokens', () => {
  expect(parseRecoveryFile(changed({ chains: undefined }))).toEqual({ ...recovery, chains: [] })
})

test.each([
  ['text that is not JSON', '{', 'not JSON'],
  ['a list', '[]', 'of the recovery file is not valid'],
  ['null', 'null', 'not a recovery file'],
  ['another version', changed({ version: 2 }), 'version'],
  ['another factory', changed({ factory: '0x00000000000000000000000000000000000000aa' }), 'another factory'],
  ['a mistyped treasury', withTreasury({ address: '0x52908400098527886E0F7030069857D2E4169EE8' }), 'treasuries'],
  ['the zero address', withTreasury({ address: `0x${'0'.repeat(40)}` }), 'treasuries'],
  ['no treasury', changed({ treasuries: [] }), 'treasuries'],
  ['a short secret', changed({ secret: 'ab'.repeat(31) }), 'secret'],
  ['no secret', changed({ secret: undefined }), 'secret'],
  ['a negative counter', changed({ highestCounter: -1 }), 'highestCounter'],
  ['a fractional counter', changed({ highestCounter: 1.5 }), 'highestCounter'],
  ['an invalid code hash', withTreasury({ codeHash: '0x' }), 'treasuries'],
  ['an object in place of the list of chains', changed({ chains: {} }), 'chains'],
  ['a chain without an id', changed({ chains: [{ tokens: [] }] }), 'chains'],
  ['an invalid token address', withToken({ address: '0xabab' }), 'chains'],
  ['a token name with a control character', withToken({ asset: '\u001b[2Jabab' }), 'chains'],
  ['a token with fractional decimals', withToken({ decimals: 0.5 }), 'chains'],
])('%s is refused, and the error contains nothing of the file', (_, text, said) => {
  expect(() => parseRecoveryFile(text)).toThrow(StartError)
  expect(() => parseRecoveryFile(text)).toThrow(said)
  expect(() => parseRecoveryFile(text)).not.toThrow('abab')
})

function changed(fields: object): string {
  return JSON.stringify({ ...JSON.parse(writeRecoveryFile(recovery)), ...fields })
}

function withTreasury(fields: object): string {
  return changed({ treasuries: [{ ...recovery.treasuries[0], ...fields }] })
}

function withToken(fields: object): string {
  return changed({ chains: [{ chainId: 1, tokens: [{ ...recovery.chains[0]?.tokens[0], ...fields }] }] })
}
