/** What npx is told to run a program by. Both come from npm; where they cannot be had, nothing is shown of them. */
export const runtimes: Readonly<Record<string, readonly string[]>> = {
  'Node 24': ['-y', 'node@24'],
  'Deno 2': ['-y', 'deno@2', 'run', '--allow-all', '--quiet'],
}
