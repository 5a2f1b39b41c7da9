/** Milliseconds since 1970 with decimals, on which the processes of one machine agree. */
export const clockMs = (): number => performance.timeOrigin + performance.now()
