import { randomInt } from 'node:crypto'
import { freePort } from '../../src/postgres/server.ts'

/**
 * A port for a server that starts later. Below the range from which the system takes ports for port 0; otherwise a
 * server of another test could have it by then.
 */
export const unusedPort = (): Promise<number> => freePort(randomInt(12_000, 32_000))
