import { randomInt } from 'node:crypto'
import { freePort } from '../../src/postgres/server.ts'

/**
 * For a server that starts a little later. Below the range from which the system serves port 0, or a server of another
 * test may have it by then.
 */
export const unusedPort = (): Promise<number> => freePort(randomInt(12_000, 32_000))
