import type { WebhookEndpoint } from '../../api/calls.ts'

/** The URL without its protocol. That of an inbox is secret, and is not in titles, which browsers keep. */
export const nameOfEndpoint = ({ url, inbox }: Pick<WebhookEndpoint, 'url' | 'inbox'>, inboxName: string): string =>
  inbox ? inboxName : withoutProtocol(url)

export const withoutProtocol = (url: string): string => url.replace(/^https?:\/\//, '')
