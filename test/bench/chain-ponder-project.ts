/** The peer's project: one token, a row for each of its transfers. Environment variables have all settings. */
export const project: Readonly<Record<string, string>> = {
  'ponder.config.ts': `
import { writeFileSync } from 'node:fs'
import { createConfig } from 'ponder'
import { http, parseAbiItem } from 'viem'

const { NODE_URL, TOKEN, DATABASE_URL, BEGAN } = process.env
let began = false
// The rate counts from the first request about the chain.
const onFetchRequest = (_request, { body }) => {
  if (began || !/eth_get(Logs|BlockBy)/.test(String(body))) return
  began = true
  writeFileSync(BEGAN, String(performance.timeOrigin + performance.now()))
}

export default createConfig({
  database: { kind: 'postgres', connectionString: DATABASE_URL },
  networks: {
    bench: {
      chainId: 31337,
      transport: http(NODE_URL, { onFetchRequest }),
      maxRequestsPerSecond: 100_000,
      disableCache: true,
    },
  },
  contracts: {
    Token: {
      network: 'bench',
      abi: [parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')],
      address: TOKEN,
      startBlock: 0,
    },
  },
})
`,
  'ponder.schema.ts': `
import { onchainTable } from 'ponder'

export const transfers = onchainTable('transfers', t => ({
  id: t.text().primaryKey(),
  block: t.bigint().notNull(),
  sender: t.hex().notNull(),
  recipient: t.hex().notNull(),
  amount: t.bigint().notNull(),
}))
`,
  'src/index.ts': `
import { writeFileSync } from 'node:fs'
import { ponder } from 'ponder:registry'
import { transfers } from 'ponder:schema'

let left = Number(process.env.TRANSFERS)
ponder.on('Token:Transfer', async ({ event, context }) => {
  await context.db.insert(transfers).values({
    id: event.transaction.hash + event.log.logIndex,
    block: event.block.number,
    sender: event.args.from,
    recipient: event.args.to,
    amount: event.args.value,
  })
  if (--left === 0) writeFileSync(process.env.ENDED, String(performance.timeOrigin + performance.now()))
})
`,
  'src/api/index.ts': `
import { Hono } from 'hono'
export default new Hono()
`,
  'package.json': '{ "name": "peer", "private": true, "type": "module" }\n',
}
