import { request } from 'node:http'

/** A Postgres in a container, if a Docker engine answers within half a second; else undefined. */
export const docker = async (): Promise<string | undefined> => {
  if (!(await answers())) return undefined
  try {
    const { GenericContainer, Wait } = await import('testcontainers')
    // The reaper of testcontainers removes it when this process ends, also when it is killed.
    const container = await new GenericContainer('postgres:18')
      .withEnvironment({ POSTGRES_PASSWORD: 'test' })
      .withCommand(['postgres', '-c', 'max_connections=200'])
      .withExposedPorts(5432)
      .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
      .start()
    return `postgres://postgres:test@${container.getHost()}:${container.getMappedPort(5432)}/postgres`
  } catch (error) {
    console.warn(
      `Docker started no Postgres (${error instanceof Error ? error.message : error}); using the embedded one`,
    )
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
  // An engine with TLS is not used: it needs certificates, and the embedded server is available.
  return url.protocol === 'tcp:' ? { host: url.hostname, port: url.port || 2375 } : undefined
}
