import { text } from 'node:stream/consumers'
import { runCollect } from './run.ts'

process.exitCode = await runCollect(process.argv.slice(2), {
  variables: process.env,
  print: line => console.log(line),
  say: what => console.error(what),
  readInput: () => (process.stdin.isTTY ? undefined : text(process.stdin)),
})
