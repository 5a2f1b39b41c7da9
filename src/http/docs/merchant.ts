import { apiKeyShape, newApiKeyShape } from '../../records/shapes/api-key.ts'
import { settingsShape } from '../../records/shapes/settings.ts'
import { listShape } from '../../records/shapes/shape.ts'
import type { Docs } from '../openapi/docs.ts'

export const getSettings: Docs = {
  operation: 'getSettings',
  summary: 'Read the settings',
  description: 'Name and branding are those of both modes, everything else is per mode.',
  answers: { 200: settingsShape },
}

export const updateSettings: Docs = {
  operation: 'updateSettings',
  summary: 'Change settings',
  description:
    'What is not sent stays as it is. Receiving addresses are for owners. They, `refundMode`, `toleranceBps` and `confirmations` take a password or a code of the last five minutes (`POST /v1/auth/step-up`). With the `refundMode` `signer` refunds are signed by a key that the operator of the service has added for the merchant and the chain (`bun run admin signer add`), those that wait to be signed too, as far as its limits go: for each currency so many minor units per refund, and within 24 hours. What is more, and all on chains without a signer, is left to be signed by hand. In the sandbox every merchant has a signer that fills itself, whatever the mode.',
  answers: { 200: settingsShape },
  refusals: ['step_up_required'],
  example: { name: 'Lamps', branding: { accentColor: '#0b7285' }, toleranceBps: 50 },
}

export const listApiKeys: Docs = {
  operation: 'listApiKeys',
  summary: 'List API keys',
  answers: { 200: listShape(apiKeyShape) },
}

export const createApiKey: Docs = {
  operation: 'createApiKey',
  summary: 'Make an API key',
  description: 'The secret is shown this once. Send `access` or `scopes`, one of the two.',
  answers: { 201: newApiKeyShape },
  example: { name: 'The shop', livemode: false, access: 'store_plugin' },
}

export const rotateApiKey: Docs = {
  operation: 'rotateApiKey',
  summary: 'Give an API key another secret',
  description: 'Its scopes stay. The new secret is shown this once.',
  answers: { 200: newApiKeyShape },
  refusals: ['state_conflict'],
  example: { overlapHours: 24 },
}

export const revokeApiKey: Docs = {
  operation: 'revokeApiKey',
  summary: 'Revoke an API key',
  description: 'At once, and for good.',
  answers: { 200: apiKeyShape },
}
