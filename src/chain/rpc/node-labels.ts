/**
 * Names of nodes for operators, in the order of RPC_URLS_<chainId>: host and port, which say more than a number. Paths,
 * queries and user names may contain keys and are left out. Several nodes at one host are numbered.
 */
export const labelsOf = (urls: readonly string[]): readonly string[] => {
  const hosts = urls.map(url => URL.parse(url)?.host || 'unknown host')
  return hosts.map((host, at) => {
    const before = hosts.slice(0, at).filter(other => other === host).length
    return before === 0 ? host : `${host} (${before + 1})`
  })
}
