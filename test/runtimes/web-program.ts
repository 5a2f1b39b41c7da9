import process from 'node:process'
import { openWeb } from '../../src/server/web.ts'

/** Opens the build in the folder of the first argument, and prints the message for the operator. */
const [, , folder = ''] = process.argv
try {
  const web = await openWeb({ say: line => console.log(line), folder })
  console.log(web.asset('pay/pay.css').replace(/-.*/, ''))
} catch (error) {
  console.log(`${Object(error).name}: ${Object(error).message}`)
}
