/** The texts of the audit log of a shop. */
export const auditLogEn = {
  title: 'Audit log',
  what: 'Who has changed what in this shop, and who has signed in. Entries never change.',
  list: 'Entries, newest first',
  action: 'Action',
  who: 'Who',
  address: 'IP address',
  when: 'Time',
  actors: { operator: 'The operator', service: 'The server' },
  only: (action: string) => `Only ${action}`,
  allOf: (action: string) => `Show only ${action}`,
  none: 'None',
  nothing: 'There is no such entry',
  nothingWhat: 'Remove the filter to see all entries.',
}
