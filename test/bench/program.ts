import { fileURLToPath } from 'node:url'

/** A process of its own, which ends with this one. */
export type Program = AsyncDisposable & {
  /** The first that it printed: where it is to be found. */
  readonly said: string
  readonly pid: number
}

/** A file beside this one, which is given these words. */
export const startProgram = async (file: string, ...words: readonly string[]): Promise<Program> => {
  const child = Bun.spawn({
    cmd: [process.execPath, '--preload', pathOf('../harness/end-with-parent.ts'), pathOf(file), ...words],
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const { value } = await child.stdout.getReader().read()
  return {
    said: new TextDecoder().decode(value),
    pid: child.pid,
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await child.exited
    },
  }
}

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))
