import type { Hex } from 'viem'

/** Defined here because viem exports them only from its main module, which loads all of viem. */
export const zeroAddress: Hex = `0x${'0'.repeat(40)}`
export const zeroHash: Hex = `0x${'0'.repeat(64)}`
