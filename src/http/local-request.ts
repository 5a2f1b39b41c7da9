import { isLoopback, isLoopbackHost } from './address.ts'
import type { Api } from './api.ts'

/**
 * Whether a request comes from this machine and nothing has forwarded it. A proxy on this machine forwards requests from
 * loopback, and some proxies send a loopback Host and no header of their own. So no request counts as local if PUBLIC_URL
 * is public.
 */
export const isFromThisMachine = (
  { publicUrl }: Pick<Api['settings'], 'publicUrl'>,
  address: string,
  headers: Headers,
): boolean => {
  const forwarded = [...headers.keys()].some(name => byProxies.test(name))
  const hosts = [headers.get('host') ?? '', new URL(publicUrl).host]
  return isLoopback(address) && !forwarded && hosts.every(isLoopbackHost)
}

/** Proxies that do not forward the address of the client often forward the host or the protocol. */
const byProxies =
  /^(x-forwarded-.*|x-original-.*|forwarded|via|x-real-ip|x-client-ip|x-cluster-client-ip|cf-connecting-ip|true-client-ip)$/
