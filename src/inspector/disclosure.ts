import { kinds } from '../kinds/all.ts'

/** What leaves the machine, and to whom. Printed before anything is opened. */
export const disclosureOf = (server: string, page: string, filter: Readonly<Record<string, string>>): string => {
  const chosen = Object.entries(filter).map(([name, value]) => `${name} ${value}`)
  return `This shows the state machines of ${server} in the inspector at ${page}.
That page belongs to a third party, Stately. As long as it is open in your browser, it receives of
${chosen.length > 0 ? `the actors with ${chosen.join(' and ')}` : 'all actors of all merchants, in test mode and in live mode'}:
  - the definition of their machines
  - their IDs, their states, and each event with its time and what caused it, such as the ID of an API key
  - these fields, with amounts, addresses on chains and hashes of transactions among them:
${kinds.map(({ name, history }) => `    ${name}: ${history.join(', ')}`).join('\n')}
It receives no e-mail addresses, no names, no metadata, no keys and no secrets.
Nothing leaves this machine before you open the address that is printed next, and nothing after this program has ended.
The pages below ${server}/ops show the same, and send nothing to a third party.`
}
