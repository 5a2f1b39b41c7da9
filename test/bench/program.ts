import { fileURLToPath } from 'node:url'

/** A child process, which ends with this one. */
export type Program = AsyncDisposable & {
  /** Its first line of output: where it listens. */
  readonly output: string
  readonly pid: number
  /** The exit code. */
  readonly exited: Promise<number>
}

/** Runs a file of this folder with these arguments. */
export const startProgram = async (file: string, ...words: readonly string[]): Promise<Program> => {
  const child = Bun.spawn({
    cmd: [process.execPath, '--preload', pathOf('../harness/end-with-parent.ts'), pathOf(file), ...words],
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const { value } = await child.stdout.getReader().read()
  return {
    output: new TextDecoder().decode(value),
    pid: child.pid,
    exited: child.exited,
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await child.exited
    },
  }
}

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))
