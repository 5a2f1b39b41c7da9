import type { Hex } from 'viem'

/** As viem has them, which gives them to nobody who does not load all of it. */
export const zeroAddress: Hex = `0x${'0'.repeat(40)}`
export const zeroHash: Hex = `0x${'0'.repeat(64)}`
