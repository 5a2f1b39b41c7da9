/** Numbers from 0 to 1, the same for the same seed everywhere (mulberry32). */
export const randomOf = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const oneOf = <T>(all: readonly T[], random: () => number): T => {
  const one = all[Math.floor(random() * all.length)]
  if (one === undefined) throw new Error('Cannot choose from an empty list')
  return one
}
