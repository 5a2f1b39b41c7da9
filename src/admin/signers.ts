import { encodeId, uuidv7 } from '../ids.ts'
import { StartError } from '../process/start-error.ts'
import { listSigners } from '../queries/signer-list.ts'
import { addSigner, removeSigner, type SignerLimit } from '../queries/signer-setup.ts'
import type { WaitReason } from '../queries/signing.ts'
import { SIGNER_PURPOSE } from '../sealed-columns.ts'
import { readPrivateKey } from '../signer/key.ts'
import { readHighestNonce } from '../signer/nonce-counts.ts'
import { command } from './command.ts'
import { chain, merchant, onChain, readSignerOptions } from './signer-options.ts'
import { signerRelease } from './signer-release.ts'

export const signerCommands = [
  command({
    name: 'signer add',
    does: 'adds a private key that signs refunds of a merchant on a chain; the key is read from standard input. Limits are in minor units: per refund, and per 24 hours',
    options: { merchant, chain, limits: { value: 'USD:5000:50000,EUR:…' } },
    run: async (services, given) => {
      const options = await readSignerOptions(services, given)
      const limits = readLimits(given.limits)
      const account = readPrivateKey(await services.readInput())
      // The input is not repeated in the message: it may be a secret.
      if (!account) throw new StartError('Standard input is not a private key: a private key has 64 hexadecimal digits')
      const { key, address } = account
      // Includes pending transactions, which were not signed here.
      const firstNonce = await onChain(services, options.chainId, rpc => readHighestNonce(rpc, address))
      const id = uuidv7(services.clock.now(), services.random)
      const sealedKey = (await services.keyring()).seal(SIGNER_PURPOSE, id, key)
      const lowercase = address.toLowerCase()
      const outcome = await addSigner(services.sql, {
        id,
        ...options,
        address: lowercase,
        sealedKey,
        firstNonce,
        limits,
      })
      if (outcome === 'has_another')
        throw new StartError('The merchant already has a signer on this chain: remove it first')
      if (outcome === 'taken')
        throw new StartError(
          'This key already signs for another merchant, or has signed transactions that are not final: use a separate key',
        )
      const has = outcome === 'added' ? 'signs refunds' : 'has new limits and signs refunds'
      services.print(
        `${address} ${has} of ${given.merchant} on chain ${given.chain}, once refundMode is signer in its settings`,
      )
      services.print(`Refunds that already waited for a manual signature must still be signed manually`)
      services.print(
        `Fund its address with native currency for gas and with the assets to refund. No other program may send from it`,
      )
    },
  }),

  command({
    name: 'signer list',
    does: 'lists the refund signers with their limits, and the reasons why refunds are not signed',
    options: {},
    run: async ({ sql, print }) => {
      const signers = await listSigners(sql)
      if (signers.length === 0) print('There are no refund signers')
      for (const {
        merchantId,
        chainId,
        address,
        limits,
        open,
        unclearSince,
        waits,
        isRemoved,
        isOn,
        isOnHold,
      } of signers) {
        const state = isRemoved ? ', removed' : isOn ? '' : ', off: refundMode is manual'
        const held = isOnHold && !isRemoved ? ', on hold' : ''
        const allowed = limits.map(
          ({ currency, perRefundMinor, perDayMinor }) => `${currency}:${perRefundMinor}:${perDayMinor}`,
        )
        print(
          `${encodeId('mer', merchantId)} chain ${chainId} ${address} ${allowed.join(',')}, ${open} under way${state}${held}`,
        )
        if (unclearSince)
          print(`  the result of a signed transaction is not known since ${unclearSince.toISOString()}: ${unclear}`)
        for (const { reason, count, since } of waits)
          print(`  ${count} not signed since ${since.toISOString()}, ${reason}: ${explained[reason]}`)
      }
    },
  }),

  signerRelease,

  command({
    name: 'signer remove',
    does: 'removes a signer; its key is erased when all its transactions are final',
    options: { merchant, chain },
    run: async (services, given) => {
      const removed = await removeSigner(services.sql, await readSignerOptions(services, given))
      if (!removed) throw new StartError('The merchant has no signer on this chain: see `bun run admin signer list`')
      const rest =
        removed.open === 0 ? 'its key is erased' : `its key is erased when ${removed.open} open transactions are final`
      services.print(`${removed.address} signs no more refunds; ${rest}`)
    },
  }),
]

const unclear = 'its nonce is used, and no node shows by which transaction; add an archive node to RPC_URLS_<chain ID>'

const explained: Readonly<Record<WaitReason, string>> = {
  no_answer: 'the chain does not answer',
  no_gas: 'the address does not have enough native currency for gas',
  no_funds: 'the address does not have enough of the asset to refund',
  nonce_ahead:
    'the chain has more transactions of the key than the database, so another program uses the key. Check what it has sent, then remove and add the signer',
  refused: 'the chain reports that the transfer would fail',
  unreadable_key: 'neither SECRET_KEY nor SECRET_KEY_PREVIOUS decrypts the key',
  unsettled: 'an earlier transaction of the refund can still be mined',
  fault: 'an error occurred, see the log of the server',
  on_hold:
    'the database may be a restored backup: check what the address has sent, then run `bun run admin signer release`',
  over_refund_limit: 'above the limit per refund: the merchant must sign it',
  over_day_limit: 'above the limit per 24 hours: the merchant must sign it',
  by_hand: 'it waited before the signer was added or turned on: the merchant must sign it',
}

const readLimits = (text: string): readonly SignerLimit[] => {
  const limits = text.split(',').map(each => {
    const [, currency = '', perRefund, perDay] = /^([A-Z]{3}):([1-9]\d{0,14}):([1-9]\d{0,14})$/.exec(each) ?? []
    return { currency, perRefundMinor: Number(perRefund), perDayMinor: Number(perDay) }
  })
  const currencies = new Set(limits.map(({ currency }) => currency))
  if (currencies.has('') || currencies.size < limits.length)
    throw new StartError(
      '--limits must have each currency once, such as USD:5000:50000 for 50.00 per refund and 500.00 per 24 hours',
    )
  return limits
}
