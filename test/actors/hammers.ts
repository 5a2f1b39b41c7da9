import { fileURLToPath } from 'node:url'

/** A process that runs hammer.ts, and the commands that it has reported as executed. */
export const startHammer = (url: string, name: string, lamps: readonly string[], acknowledged: Set<number>) => {
  // Unreported commands may have been executed: a new process starts at the first of them.
  let from = 0
  while (acknowledged.has(from)) from++
  const child = Bun.spawn({
    cmd: [
      process.execPath,
      fileURLToPath(new URL('./hammer.ts', import.meta.url)),
      url,
      name,
      `${from}`,
      '32',
      lamps.join(','),
    ],
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const reading = (async () => {
    let rest = ''
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) acknowledged.add(Number(line.slice('done '.length)))
    }
  })()
  return {
    acknowledged,
    /** Kills it at any moment. */
    kill: async () => {
      child.kill('SIGKILL')
      await child.exited
      await reading
    },
    /** Stops it after its commands in progress. */
    finish: async () => {
      child.kill('SIGTERM')
      const code = await child.exited
      await reading
      if (code !== 0) throw new Error(`hammer ${name} ended with ${code}`)
    },
  }
}
