type RelayPage = {
  /** The address of the inspector. */
  readonly inspector: string
  /** Host and port of the relay. */
  readonly host: string
  /** Of the WebSocket. */
  readonly key: string
  readonly nonce: string
}

/** The page of the relay: the inspector in a frame, and a line that says whether it is connected. */
export const relayPage = ({ inspector, host, key, nonce }: RelayPage): Response => {
  const { origin } = new URL(inspector)
  const policy = [
    ...["default-src 'none'", `script-src 'nonce-${nonce}'`, `style-src 'nonce-${nonce}'`, `frame-src ${origin}`],
    ...[`connect-src ws://${host}`, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ]
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Inspector</title>
<style nonce="${nonce}">
  html, body { height: 100%; margin: 0; }
  body { display: grid; grid-template-rows: auto 1fr; font: 14px/20px system-ui; }
  p { margin: 0; padding: 4px 12px; background: #fbefd5; color: #7d4e00; }
  iframe { width: 100%; height: 100%; border: 0; }
</style>
<p role="status">Waiting for ${origin}</p>
<iframe title="Inspector" src="${inspector}" referrerpolicy="no-referrer"
  sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-downloads"></iframe>
<script type="module" nonce="${nonce}">
  const [origin, feed] = ${JSON.stringify([origin, `ws://${host}/feed?key=${key}`])}
  const frame = document.querySelector('iframe')
  const status = document.querySelector('p')
  history.replaceState(null, '', '/')
  let socket
  const open = () => {
    const own = new WebSocket(feed)
    socket = own
    own.onopen = () => { status.textContent = 'What is shown below is sent to ' + origin }
    own.onmessage = ({ data }) => frame.contentWindow.postMessage(JSON.parse(data), origin)
    own.onclose = () => {
      if (socket !== own) return
      status.textContent = 'The server does not answer. Trying again'
      setTimeout(() => socket === own && open(), 1000)
    }
  }
  addEventListener('message', ({ source, origin: from, data }) => {
    if (source !== frame.contentWindow || from !== origin || data?.type !== '@statelyai.connected') return
    const old = socket
    socket = undefined
    old?.close()
    open()
  })
</script>
</html>
`
  return new Response(html, {
    headers: {
      ...{ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
      ...{ 'content-security-policy': policy.join('; '), 'x-content-type-options': 'nosniff' },
    },
  })
}
