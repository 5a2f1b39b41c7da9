import { heapStats } from 'bun:jsc'

/** Preloaded into a server: on SIGUSR2 it prints the bytes of its heap that are left after a garbage collection. */
process.on('SIGUSR2', () => {
  Bun.gc(true)
  console.error(`heap ${heapStats().heapSize}`)
})
