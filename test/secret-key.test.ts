import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPreviousSecretKey, getSecretKey, renewSecretKey } from '../src/secret-key.ts'

test('what is left of a key is none, and nothing begins with it', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'paymachine-key-'))
  const own = { dataDir, secretKey: undefined, previousSecretKey: undefined }
  const first = getSecretKey(own)
  renewSecretKey(dataDir)
  expect([getSecretKey(own) === first, findPreviousSecretKey(own)]).toEqual([false, first])
  for (const [file, read, advice] of [
    ['secret-key', getSecretKey, 'put back the one that was there'],
    ['secret-key.previous', findPreviousSecretKey, 'put it back, or remove it once `bun run rekey` has ended well'],
  ] as const)
    for (const length of [31, 0]) {
      truncateSync(join(dataDir, file), length)
      expect(() => read(own)).toThrow(
        `${join(dataDir, file)} holds fewer than 32 characters and is no secret key: ${advice}`,
      )
      expect(readFileSync(join(dataDir, file))).toHaveLength(length)
    }
  rmSync(dataDir, { recursive: true })
})
