/** The texts of the history of a record. */
export const timelineEn = {
  title: 'What happened',
  order: 'Newest first',
  newer: 'Newer entries',
  older: 'Older entries',
  causes: {
    api_key: (name: string) => `by the API key ${name}`,
    chain: 'seen on the chain',
    customer: 'by the customer',
    member: (name: string) => `by ${name}`,
    operator: 'by an operator',
    system: 'by the server',
    timer: 'by the clock',
  },
}
