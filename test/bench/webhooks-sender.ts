import { startProgram } from './program.ts'
import type { SenderProgramOptions } from './webhooks-sender-program.ts'

/** A process of the service that sends webhooks. */
export type SenderProcess = AsyncDisposable & {
  /** Commits an event of this merchant in that process; returns when the commit was known. */
  commitEvent(merchantId: string): Promise<number>
  /** Microseconds of CPU so far. */
  cpu(): Promise<number>
  /** Stops after the requests in progress. */
  stop(): Promise<void>
  kill(): Promise<void>
}

export const startSender = async (databaseUrl: string, options: SenderProgramOptions = {}): Promise<SenderProcess> => {
  const program = await startProgram('./webhooks-sender-program.ts', databaseUrl, JSON.stringify(options))
  const { control, pid } = JSON.parse(program.output) as { control: number; pid: number }
  const ask = (path: string) => fetch(`http://127.0.0.1:${control}${path}`)
  return {
    commitEvent: async merchantId => {
      const { ok, at } = (await (await ask(`/commit?merchant=${merchantId}`)).json()) as { ok: boolean; at: number }
      if (!ok) throw new Error('a payment was refused')
      return at
    },
    cpu: async () => {
      const { user, system } = (await (await ask('/cpu')).json()) as NodeJS.CpuUsage
      return user + system
    },
    stop: async () => void (await ask('/stop')),
    kill: async () => {
      process.kill(pid, 'SIGKILL')
      await program[Symbol.asyncDispose]()
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  }
}
