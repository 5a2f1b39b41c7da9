import { parseEnv } from '../../src/env.ts'
import { openKeyring } from '../../src/keyring.ts'
import { openPoster } from '../../src/webhooks/post.ts'

/** As in the instances of tests. */
export const SECRET_KEY = 'a secret key for tests and for nothing else'

export const keyring = openKeyring(SECRET_KEY)

/** A poster that may call this machine. */
export const loopbackPoster = () => openPoster({ rules: parseEnv({ WEBHOOK_ALLOW: '127.0.0.0/8' }).webhooks })
