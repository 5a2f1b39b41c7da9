import { StartError } from '../process/start-error.ts'
import { disclosureOf } from './disclosure.ts'
import { openOperatorSession } from './operator-session.ts'
import { readBridgeOptions } from './options.ts'
import { openRelay } from './relay.ts'
import { openTerminal } from './terminal.ts'

/** Tests name another page. */
const inspector = process.env.INSPECTOR_PAGE ?? 'https://stately.ai/inspect'

/** `bun run inspector`: shows the state machines of a running server in the inspector of Stately, until it is ended. */
const main = async (): Promise<number> => {
  const stopped = new Promise<void>(resolve => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => resolve())
  })
  const terminal = openTerminal()
  try {
    const { server, port, filter, isConfirmed } = readBridgeOptions(process.argv.slice(2))
    console.log(disclosureOf(server, inspector, filter))
    if (!isConfirmed && !/^y(es)?$/i.test(await terminal.ask('Continue? [y/N] '))) {
      console.log('Nothing was opened')
      return 1
    }
    const session = await openOperatorSession(server, terminal)
    const createAddress = () => session.createAddress(filter)
    const relay = openRelay({ port, inspector, createAddress, say: line => console.log(line) })
    console.log(`Open this address in a browser on this machine; it works once: ${relay.address}`)
    console.log('Ctrl-C ends it')
    await stopped
    await relay.stop()
    await session.end()
    console.log('Ended')
    return 0
  } catch (error) {
    console.error(error instanceof StartError ? error.message : error)
    return 1
  } finally {
    terminal.close()
  }
}

process.exit(await main())
