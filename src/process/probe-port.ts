import { createServer } from 'node:net'

/**
 * Listens for a moment and returns the port: the given one, or with 0 a free one. Rejects if the port cannot be used.
 */
export const probePort = (host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    // Closes incoming connections, because close() waits for them.
    const probe = createServer(socket => socket.destroy())
    probe.on('error', reject)
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : port))
    })
  })
