import type { Ask } from '../../../src/chain/rpc/ask.ts'
import { openNode } from '../../../src/chain/rpc/node.ts'

export const askAt = (url: string): Ask =>
  openNode({ name: 'test', url, closed: new AbortController().signal, now: Date.now }).batch
