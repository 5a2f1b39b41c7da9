import { expect, test } from 'bun:test'
import { parseRecoveryFile, type Recovery, writeRecoveryFile } from '../../../src/chain/recovery/file.ts'
import { StartError } from '../../../src/start-error.ts'

const recovery: Recovery = {
  treasuries: [{ address: '0x52908400098527886e0f7030069857d2e4169ee7', codeHash: null, onlyOn: null }],
  secret: new Uint8Array(32).fill(0xab),
  highestCounter: 41,
}

test('what was written is read again, of a key and of a contract', () => {
  expect(parseRecoveryFile(writeRecoveryFile(recovery))).toEqual(recovery)
  const codeHash = `0x${'cd'.repeat(32)}` as const
  const treasuries = recovery.treasuries.flatMap(each => [each, { ...each, codeHash, onlyOn: 31337 }])
  const contract = { ...recovery, treasuries, highestCounter: null }
  expect(parseRecoveryFile(writeRecoveryFile(contract))).toEqual(contract)
})

test('files that merchants keep must stay readable', () => {
  expect(JSON.parse(writeRecoveryFile(recovery))).toMatchInlineSnapshot(`
    {
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

test.each([
  ['no JSON', '{', 'no JSON'],
  ['a list', '[]', 'of the recovery file is not valid'],
  ['null', 'null', 'not a recovery file'],
  ['another version', changed({ version: 2 }), 'version'],
  ['another factory', changed({ factory: '0x00000000000000000000000000000000000000aa' }), 'another factory'],
  ['a mistyped treasury', withTreasury({ address: '0x52908400098527886E0F7030069857D2E4169EE8' }), 'treasuries'],
  ['the zero address', withTreasury({ address: `0x${'0'.repeat(40)}` }), 'treasuries'],
  ['no treasury', changed({ treasuries: [] }), 'treasuries'],
  ['a short secret', changed({ secret: 'ab'.repeat(31) }), 'secret'],
  ['no secret', changed({ secret: undefined }), 'secret'],
  ['a counter below zero', changed({ highestCounter: -1 }), 'highestCounter'],
  ['half a counter', changed({ highestCounter: 1.5 }), 'highestCounter'],
  ['a code hash that is none', withTreasury({ codeHash: '0x' }), 'treasuries'],
])('%s is refused, and nothing of the file is told', (_, text, said) => {
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
