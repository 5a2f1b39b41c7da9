import { encodeId, uuidv7 } from '../ids.ts'
import { listSigners } from '../queries/signer-list.ts'
import { addSigner, removeSigner, type SignerLimit } from '../queries/signer-setup.ts'
import type { WaitReason } from '../queries/signing.ts'
import { readHighest } from '../signer/counts.ts'
import { readPrivateKey, SIGNER_PURPOSE } from '../signer/key.ts'
import { StartError } from '../start-error.ts'
import { command } from './command.ts'
import { chain, merchant, onChain, readPlace } from './signer-place.ts'
import { signerRelease } from './signer-release.ts'

export const signerCommands = [
  command({
    name: 'signer add',
    does: 'has a key sign refunds of a merchant on a chain; the key is read from standard input. Limits are in minor units: per refund, and in 24 hours',
    options: { merchant, chain, limits: { value: 'USD:5000:50000,EUR:…' } },
    run: async (desk, given) => {
      const place = await readPlace(desk, given)
      const limits = readLimits(given.limits)
      const account = readPrivateKey(await desk.readInput())
      // What was typed instead is not repeated.
      if (!account) throw new StartError('What is on standard input is no private key: that has 64 hexadecimal digits')
      const { key, address } = account
      // What waits to be mined counts: it was not signed here.
      const firstNonce = await onChain(desk, place.chainId, rpc => readHighest(rpc, address))
      const id = uuidv7(desk.clock.now(), desk.random)
      const sealedKey = (await desk.keyring()).seal(SIGNER_PURPOSE, id, key)
      const small = address.toLowerCase()
      const outcome = await addSigner(desk.sql, { id, ...place, address: small, sealedKey, firstNonce, limits })
      if (outcome === 'has_another')
        throw new StartError('The merchant has another signer on this chain: remove that first')
      if (outcome === 'taken')
        throw new StartError(
          'This key signs for a merchant already, or has signed what is not final: use one of its own',
        )
      const has = outcome === 'added' ? 'signs refunds' : 'has other limits now, and signs refunds'
      desk.say(
        `${address} ${has} of ${given.merchant} on chain ${given.chain}, once refundMode is signer in its settings`,
      )
      desk.say(`What the merchant has been shown to sign by hand stays so, whatever the limits are now`)
      desk.say(`It needs coins for the gas, and what is refunded, on its own address. Nobody else may send from there`)
    },
  }),

  command({
    name: 'signer list',
    does: 'lists the refund signers, what they may sign, and what keeps them from signing',
    options: {},
    run: async ({ sql, say }) => {
      const signers = await listSigners(sql)
      if (signers.length === 0) say('There are no refund signers')
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
        say(
          `${encodeId('mer', merchantId)} chain ${chainId} ${address} ${allowed.join(',')}, ${open} under way${state}${held}`,
        )
        if (unclearSince) say(`  what was signed may be mined or not since ${unclearSince.toISOString()}: ${unclear}`)
        for (const { reason, count, since } of waits)
          say(`  ${count} not signed since ${since.toISOString()}, ${reason}: ${explained[reason]}`)
      }
    },
  }),

  signerRelease,

  command({
    name: 'signer remove',
    does: 'has a key sign no more refunds; it is erased once nothing that it has signed is under way',
    options: { merchant, chain },
    run: async (desk, given) => {
      const removed = await removeSigner(desk.sql, await readPlace(desk, given))
      if (!removed) throw new StartError('The merchant has no signer on this chain: see `bun run admin signer list`')
      const rest = removed.open === 0 ? 'its key is erased' : `its key is erased when ${removed.open} are final`
      desk.say(`${removed.address} signs no more refunds; ${rest}`)
    },
  }),
]

const unclear = 'its number is used, and no node shows by what; add a node that knows old states to RPC_URLS_<chain>'

const explained: Readonly<Record<WaitReason, string>> = {
  no_answer: 'its chain does not answer',
  no_gas: 'it has too few coins for the gas',
  no_coins: 'it has too little of what is refunded',
  nonce_ahead:
    'the chain has seen more of its key than the database: another program uses it. See what it has sent, then remove and add it',
  refused: 'the chain says that the transfer cannot work',
  unreadable_key: 'neither SECRET_KEY nor SECRET_KEY_PREVIOUS opens its key',
  unsettled: 'an earlier transaction of the refund may still be mined',
  fault: 'something went wrong, of which the log says more',
  on_hold:
    'the database may be a restored backup: see what its address has sent, then release it with `bun run admin signer release`',
  over_refund_limit: 'more than it may sign for one refund, so the merchant signs it',
  over_day_limit: 'more than it may sign in 24 hours, so the merchant signs it',
  by_hand: 'it waited before the signer was there, or on, so the merchant signs it',
}

const readLimits = (text: string): readonly SignerLimit[] => {
  const limits = text.split(',').map(each => {
    const [, currency = '', perRefund, perDay] = /^([A-Z]{3}):([1-9]\d{0,14}):([1-9]\d{0,14})$/.exec(each) ?? []
    return { currency, perRefundMinor: Number(perRefund), perDayMinor: Number(perDay) }
  })
  const currencies = new Set(limits.map(({ currency }) => currency))
  if (currencies.has('') || currencies.size < limits.length)
    throw new StartError('--limits must name each currency once, as in USD:5000:50000 for 50 a refund and 500 a day')
  return limits
}
