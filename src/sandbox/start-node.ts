import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Anvil, type AnvilOptions, startAnvil } from './anvil.ts'
import { type FoundState, isLatest, newEpoch, readState, renameUnreadable, type SavedState } from './saved-state.ts'

export type SandboxNodeOptions = Pick<AnvilOptions, 'binary'> & {
  readonly folder: string
  readonly say: (line: string) => void
  /** Called with the epoch of the chain before the node starts. */
  readonly onEpoch: (epoch: string) => void
}

/** Starts the node with the latest saved chain, or the previous one, or an empty chain, whichever works first. */
export const startNode = async ({ folder, say, onEpoch, ...options }: SandboxNodeOptions): Promise<Anvil> => {
  const latest = await readState(folder, 'state')
  const before = await readState(folder, 'state.before')
  const isCurrent = await isLatest(folder, latest, before)
  const candidates: readonly Candidate[] = [
    ...savedIn(latest).map(({ epoch, dump }) =>
      isCurrent ? { epoch, dump } : { epoch: newEpoch(), dump, note: 'is not up to date' },
    ),
    ...savedIn(before).map(({ dump }) => ({
      epoch: newEpoch(),
      dump,
      note: 'cannot be read, so the previous one is used',
    })),
    { epoch: newEpoch(), note: 'cannot be read, so an empty chain is used' },
  ]
  const isFirst = latest.state === 'missing' && before.state === 'missing'
  let fault: unknown
  for (const { epoch, dump, note } of candidates) {
    onEpoch(epoch)
    try {
      await using state = await unpack(folder, dump)
      const anvil = await startAnvil({ folder, host: hiddenHost(), ...options, args: [...chain, ...state.args] })
      if (note !== undefined && !isFirst) {
        say(`The saved sandbox chain ${note}: its last blocks are lost`)
        if (dump !== savedIn(latest)[0]?.dump) await renameUnreadable(folder)
      }
      return anvil
    } catch (error) {
      fault = error
    }
  }
  throw fault
}

/**
 * A random loopback address out of 16 million, so that web pages cannot find the node and bypass the proxy
 * (src/sandbox/node-proxy.ts) with WebSockets. Systems other than Linux have only 127.0.0.1.
 */
const hiddenHost = (): string => {
  // Neither 0 nor 255, which are network and broadcast addresses.
  const parts = [...crypto.getRandomValues(new Uint8Array(3))].map(byte => 1 + (byte % 254))
  return process.platform === 'linux' ? `127.${parts.join('.')}` : '127.0.0.1'
}

/** Only the latest state keeps its epoch. */
type Candidate = Partial<SavedState> & { readonly epoch: string; readonly note?: string }

const chain = [
  ...['--chain-id', '31337', '--balance', '1000000', '--slots-in-an-epoch', '1', '--no-mining', '--no-cors'],
  // With a newer hard fork, or with all old states kept, mining takes ten times as long after thousands of blocks.
  ...['--hardfork', 'cancun', '--prune-history', '200'],
]

const savedIn = (found: FoundState): readonly SavedState[] => (found.state === 'readable' ? [found] : [])

/** Unpacks the chain to a file that the node loads at its start, so that it never answers without it. */
const unpack = async (folder: string, dump: Buffer | undefined) => {
  const path = join(folder, 'loading.json')
  if (dump) await writeFile(path, gunzipSync(dump), { mode: 0o600 })
  return {
    args: dump ? ['--load-state', path] : [],
    [Symbol.asyncDispose]: () => rm(path, { force: true }),
  }
}
