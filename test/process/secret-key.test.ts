import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPreviousSecretKey, getSecretKey, renewSecretKey } from '../../src/process/secret-key.ts'

test('a truncated key is refused, and the start fails', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'paymachine-key-'))
  const own = { dataDir, secretKey: undefined, previousSecretKey: undefined }
  const first = getSecretKey(own)
  renewSecretKey(dataDir)
  expect([getSecretKey(own) === first, findPreviousSecretKey(own)]).toEqual([false, first])
  for (const [file, read, advice] of [
    ['secret-key', getSecretKey, 'restore the key from a backup'],
    ['secret-key.previous', findPreviousSecretKey, 'restore it, or remove it after `bun run rekey` has succeeded'],
  ] as const)
    for (const length of [31, 0]) {
      truncateSync(join(dataDir, file), length)
      expect(() => read(own)).toThrow(
        `${join(dataDir, file)} has fewer than 32 characters and is not a secret key: ${advice}`,
      )
      expect(readFileSync(join(dataDir, file))).toHaveLength(length)
    }
  rmSync(dataDir, { recursive: true })
})
