import { createServer } from 'node:net'

/** Listens for a moment, and answers the port: the one given, or with 0 one that is free. Fails where nobody can. */
export const probePort = (host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    // Whoever comes in meanwhile is sent away, or the end would wait for them.
    const probe = createServer(socket => socket.destroy())
    probe.on('error', reject)
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : port))
    })
  })
