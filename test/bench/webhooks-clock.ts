/** Milliseconds since 1970 with all their decimals, which processes of one machine agree on. */
export const clockMs = (): number => performance.timeOrigin + performance.now()
