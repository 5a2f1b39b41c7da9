/** Code that verifies a webhook, by language. */
export const snippets = {
  Express: `import express from 'express'
import { verifyWebhook } from './verify-webhook.ts'

const app = express()
const secret = process.env.WEBHOOK_SECRET

app.post('/hooks', express.raw({ type: 'application/json' }), (request, response) => {
  let event
  try {
    event = verifyWebhook({ body: request.body, headers: request.headers, secret })
  } catch {
    response.sendStatus(400)
    return
  }
  console.log(event.type, event.data.object.id)
  response.sendStatus(204)
})

app.listen(4040)
`,
  Hono: `import { Hono } from 'hono'
import { verifyWebhook } from './verify-webhook.ts'

const app = new Hono()
const secret = process.env.WEBHOOK_SECRET

app.post('/hooks', async c => {
  let event
  try {
    event = verifyWebhook({ body: await c.req.text(), headers: c.req.raw.headers, secret })
  } catch {
    return c.body(null, 400)
  }
  console.log(event.type, event.data.object.id)
  return c.body(null, 204)
})

export default { port: 4040, fetch: app.fetch }
`,
  Elysia: `import { Elysia } from 'elysia'
import { verifyWebhook } from './verify-webhook.ts'

const secret = process.env.WEBHOOK_SECRET

new Elysia()
  .post(
    '/hooks',
    ({ body, headers, set }) => {
      try {
        const event = verifyWebhook({ body, headers, secret })
        console.log(event.type, event.data.object.id)
        set.status = 204
      } catch {
        set.status = 400
      }
    },
    { parse: 'text' },
  )
  .listen(4040)
`,
  PHP: `<?php
$secret = getenv('WEBHOOK_SECRET');
$body = file_get_contents('php://input');

function is_signed(string $body, string $header, string $secret): bool
{
    if ($secret === '' || !preg_match('/^t=(\\d{1,12}),/', $header, $time)) return false;
    if (abs(time() - (int) $time[1]) > 300) return false;
    $wanted = hash_hmac('sha256', $time[1] . '.' . $body, $secret);
    preg_match_all('/,v1=([0-9a-f]{64})/', $header, $given);
    foreach ($given[1] as $signature) {
        if (hash_equals($wanted, $signature)) return true;
    }
    return false;
}

if (!is_signed($body, $_SERVER['HTTP_SERVICE_SIGNATURE'] ?? '', (string) $secret)) {
    http_response_code(400);
    exit;
}
$event = json_decode($body, true);
error_log($event['type'] . ' ' . $event['data']['object']['id']);
http_response_code(204);
`,
  Python: `import hashlib, hmac, json, os, re, time
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["WEBHOOK_SECRET"]


def is_signed(body: bytes, header: str) -> bool:
    found = re.match(r"t=(\\d{1,12}),", header)
    if not SECRET or not found or abs(time.time() - int(found[1])) > 300:
        return False
    wanted = hmac.new(SECRET.encode(), f"{found[1]}.".encode() + body, hashlib.sha256).hexdigest()
    given = re.findall(r",v1=([0-9a-f]{64})", header)
    return any(hmac.compare_digest(wanted, signature) for signature in given)


class Hooks(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        signed = is_signed(body, self.headers.get("Service-Signature", ""))
        if signed:
            event = json.loads(body)
            print(event["type"], event["data"]["object"]["id"], flush=True)
        self.send_response(204 if signed else 400)
        self.end_headers()


HTTPServer(("", 4040), Hooks).serve_forever()
`,
} as const

export type Language = keyof typeof snippets

export const languages = Object.keys(snippets) as readonly Language[]
