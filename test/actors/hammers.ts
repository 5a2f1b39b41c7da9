import { fileURLToPath } from 'node:url'

/** A hammering process, and which of its commands it has told to be done. */
export const startHammer = (url: string, name: string, lamps: readonly string[], told: Set<number>) => {
  // Whatever was not told may or may not have been done: a new process starts at the first such.
  let from = 0
  while (told.has(from)) from++
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
      for (const line of lines) told.add(Number(line.slice('done '.length)))
    }
  })()
  return {
    told,
    /** Ends it in the middle of whatever it does. */
    kill: async () => {
      child.kill('SIGKILL')
      await child.exited
      await reading
    },
    /** Lets it finish what it has begun. */
    finish: async () => {
      child.kill('SIGTERM')
      const code = await child.exited
      await reading
      if (code !== 0) throw new Error(`hammer ${name} ended with ${code}`)
    },
  }
}
