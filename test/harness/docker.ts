import { request } from 'node:http'

/** A Postgres in a container, when a Docker engine answers at once; undefined when not. */
export const docker = async (): Promise<string | undefined> => {
  if (!(await answers())) return undefined
  try {
    const { GenericContainer, Wait } = await import('testcontainers')
    // testcontainers' reaper removes it when this process ends, however it ends.
    const container = await new GenericContainer('postgres:18')
      .withEnvironment({ POSTGRES_PASSWORD: 'test' })
      .withCommand(['postgres', '-c', 'max_connections=200'])
      .withExposedPorts(5432)
      .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
      .start()
    return `postgres://postgres:test@${container.getHost()}:${container.getMappedPort(5432)}/postgres`
  } catch (error) {
    console.warn(`Docker gave no Postgres (${error instanceof Error ? error.message : error}); using the embedded one`)
    return undefined
  }
}

const answers = () =>
  new Promise<boolean>(resolve => {
    const target = engine()
    if (!target) return resolve(false)
    const ping = request({ ...target, path: '/_ping', timeout: 500 }, response => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    ping.on('timeout', () => ping.destroy())
    ping.on('error', () => resolve(false))
    ping.end()
  })

const engine = () => {
  const host = process.env.DOCKER_HOST
  if (!host) return { socketPath: '/var/run/docker.sock' }
  const url = new URL(host)
  if (url.protocol === 'unix:') return { socketPath: url.pathname }
  // An engine behind TLS is left alone: asking it takes certificates, and the embedded server is at hand.
  return url.protocol === 'tcp:' ? { host: url.hostname, port: url.port || 2375 } : undefined
}
