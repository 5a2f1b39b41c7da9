import { listShape } from '../../fields/shape.ts'
import { apiKeyRecord, newApiKeyRecord } from '../../records/api-key.ts'
import { settingsRecord } from '../../records/settings.ts'
import { checkedAddressShape } from '../../records/shapes/checked-address.ts'
import type { Docs } from './docs.ts'

export const getSettingsDocs: Docs = {
  operation: 'getSettings',
  summary: 'Retrieve the settings',
  description: '`name` and `branding` apply to both modes. All other settings are separate for each mode.',
  answers: { 200: settingsRecord },
}

export const updateSettingsDocs: Docs = {
  operation: 'updateSettings',
  summary: 'Update the settings',
  description:
    'Fields that are not sent do not change. Only owners can change receiving addresses. Receiving addresses, `refundMode`, `toleranceBps` and `confirmations` require a sign-in or a `POST /v1/auth/step-up` within the last 5 minutes.\n\nWith `refundMode` `signer`, refunds are signed by the refund signer that the operator of the server has added for the merchant and the chain (`bun run admin signer add`). It has limits for each currency: an amount per refund, and an amount within 24 hours. You sign refunds above the limits, refunds on chains without a signer, and refunds that already waited for a signature when the signer was added or turned on. In the sandbox every merchant has a signer that always has enough money, with any `refundMode`.',
  answers: { 200: settingsRecord },
  refusals: ['step_up_required'],
  fields: {
    receivingAddresses: 'Receiving addresses for single chains, by chain ID. Null removes the address of a chain.',
    confirmations:
      'Number of confirmations after which a payment is final, by chain ID. Null restores the default of the chain.',
  },
  example: { name: 'Lamps', branding: { accentColor: '#0b7285' }, toleranceBps: 50 },
}

export const checkAddressDocs: Docs = {
  operation: 'checkAddress',
  summary: 'Check a receiving address',
  description:
    'Returns on which chains of this mode the address is a contract, and changes nothing. Money for a contract can be collected only on chains on which it exists: with an address that is a contract on some chains only, set a receiving address for the others.',
  answers: { 200: checkedAddressShape },
  fields: { address: 'Address to check. With upper-case letters, its checksum by EIP-55 must be right.' },
  example: { address: '0x52908400098527886E0F7030069857D2E4169EE7' },
}

export const uploadLogoDocs: Docs = {
  operation: 'uploadLogo',
  summary: 'Upload a logo',
  description:
    'The logo is shown to your customers, in both modes. Send the file as the request body: PNG, JPEG or WebP, at most 256 KiB and at most 2,000 × 2,000 pixels. It is served unchanged, including its metadata, and replaces the former logo.',
  answers: { 200: settingsRecord },
}

export const deleteLogoDocs: Docs = {
  operation: 'deleteLogo',
  summary: 'Delete the logo',
  description: 'A second request has no effect.',
  answers: { 204: null },
}

export const getLogoDocs: Docs = {
  operation: 'getLogo',
  summary: 'Retrieve the file of a logo',
  description: 'The name contains the hash of its content, so it never changes.',
  answers: { 200: { file: 'The file, as it was uploaded.' } },
  refusals: ['resource_not_found'],
}

export const listApiKeysDocs: Docs = {
  operation: 'listApiKeys',
  summary: 'List API keys',
  answers: { 200: listShape(apiKeyRecord) },
}

export const createApiKeyDocs: Docs = {
  operation: 'createApiKey',
  summary: 'Create an API key',
  description: 'The secret is shown only in this response. Send either `access` or `scopes`.',
  answers: { 201: newApiKeyRecord },
  fields: {
    name: 'Your own name for the key, 1 to 200 characters.',
    access:
      'Preset of scopes: `full` is `*`, `store_plugin` is `payments:read` and `payment_links:write`, `read_only` is `payments:read`. Send either `access` or `scopes`.',
    expiresAt: 'Time at which the key expires: a future time, ISO 8601 in UTC. Null or missing: never.',
  },
  example: { name: 'The shop', livemode: false, access: 'store_plugin' },
}

export const rotateApiKeyDocs: Docs = {
  operation: 'rotateApiKey',
  summary: 'Rotate an API key',
  description:
    'Creates a new secret for the key; the scopes do not change. The new secret is shown only in this response. During the overlap both secrets work, and another rotation requires `overlapHours: 0`, which ends the old secrets.',
  answers: { 200: newApiKeyRecord },
  refusals: ['state_conflict'],
  fields: {
    overlapHours:
      'Number of hours for which the old secret continues to work: 0 to 72. Default: 0, the old secret stops working immediately.',
  },
  example: { overlapHours: 24 },
}

export const revokeApiKeyDocs: Docs = {
  operation: 'revokeApiKey',
  summary: 'Revoke an API key',
  description:
    'The key stops working: immediately in this server process, within a second in all others. This cannot be undone.',
  answers: { 200: apiKeyRecord },
}
