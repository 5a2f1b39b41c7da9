import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Anvil, type AnvilOptions, startAnvil } from './anvil.ts'
import { type FoundState, isLatest, newEpoch, readState, renameUnreadable, type SavedState } from './saved-state.ts'

export type SandboxNodeOptions = Pick<AnvilOptions, 'binary'> & {
  readonly folder: string
  readonly say: (line: string) => void
  /** Told the epoch of a chain before anybody can see it. */
  readonly opening: (epoch: string) => void
}

/** Starts the node with the best chain that it takes: the latest save, the one before, or an empty chain. */
export const startNode = async ({ folder, say, opening, ...options }: SandboxNodeOptions): Promise<Anvil> => {
  const latest = await readState(folder, 'state')
  const before = await readState(folder, 'state.before')
  const goesOn = await isLatest(folder, latest, before)
  const candidates: readonly Candidate[] = [
    ...savedIn(latest).map(({ epoch, dump }) =>
      goesOn ? { epoch, dump } : { epoch: newEpoch(), dump, note: 'is not up to date' },
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
    opening(epoch)
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
 * Where no page finds the node to go around the gate (src/sandbox/gate.ts), as WebSockets may: one of 16 million addresses.
 * Systems other than Linux have the first one alone.
 */
const hiddenHost = (): string => {
  // Neither the first nor the last, which are no address of a machine.
  const parts = [...crypto.getRandomValues(new Uint8Array(3))].map(byte => 1 + (byte % 254))
  return process.platform === 'linux' ? `127.${parts.join('.')}` : '127.0.0.1'
}

/** Only the latest save goes on with its epoch. */
type Candidate = Partial<SavedState> & { readonly epoch: string; readonly note?: string }

const chain = [
  ...['--chain-id', '31337', '--balance', '1000000', '--slots-in-an-epoch', '1', '--no-mining', '--no-cors'],
  // A block of the newest rules costs ten times as much once there are thousands, and so does one with all old states kept.
  ...['--hardfork', 'cancun', '--prune-history', '200'],
]

const savedIn = (found: FoundState): readonly SavedState[] => (found.state === 'readable' ? [found] : [])

/** The chain where a node can read it while it starts, so that nobody ever sees the node without it. */
const unpack = async (folder: string, dump: Buffer | undefined) => {
  const path = join(folder, 'loading.json')
  if (dump) await writeFile(path, gunzipSync(dump), { mode: 0o600 })
  return {
    args: dump ? ['--load-state', path] : [],
    [Symbol.asyncDispose]: () => rm(path, { force: true }),
  }
}
