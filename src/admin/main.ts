import { text } from 'node:stream/consumers'
import { admin } from './admin.ts'

process.exitCode = await admin(process.argv.slice(2), {
  variables: process.env,
  print: line => console.log(line),
  printError: what => console.error(what),
  readInput: () => text(process.stdin),
})
