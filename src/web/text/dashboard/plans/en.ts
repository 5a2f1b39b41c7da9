/** The texts of the pages of plans, and those about prices that repeat. */
export const plansEn = {
  title: 'Plans',
  one: 'Plan',
  what: 'Prices that repeat. Customers subscribe to a plan and get an invoice for each period.',
  create: 'New plan',
  search: 'Search plans',
  find: 'Filter by plan',
  any: 'Any plan',
  searchHint: 'Beginning of a name, or a reference',
  status: 'Status',
  list: 'Plans, newest first',
  name: 'Name',
  reference: 'Reference',
  subscriptions: 'Subscriptions',
  created: 'Created',
  price: 'Price',
  states: { active: 'Active', archived: 'Archived' },
  per: {
    day: (count: number) => (count === 1 ? 'per day' : `every ${count} days`),
    week: (count: number) => (count === 1 ? 'per week' : `every ${count} weeks`),
    month: (count: number) => (count === 1 ? 'per month' : `every ${count} months`),
    year: (count: number) => (count === 1 ? 'per year' : `every ${count} years`),
  },
  emptyTitle: 'No plans yet',
  emptyWhat:
    'A plan is a price that repeats, such as 9.99 per month. It has a page on which customers subscribe, and each subscription gets an invoice for every period.',
  open: 'Open the page of the plan',
  share: 'Share',
  shareWhat: 'On this page customers subscribe. Send its address, or put it on your page.',
  shareArchived: 'The plan is archived. New customers can no longer subscribe.',
  perPeriod: 'For each period',
  terms: 'Terms',
  details: 'Details',
  id: 'ID',
  description: 'Description',
  activeCount: (count: string) => `${count} not ended`,
  allSubscriptions: 'All subscriptions of this plan',
  sentences: {
    pays: (price: string) => `The customer pays ${price}.`,
    free: 'Nothing is to be paid.',
    trial: (days: number) =>
      days === 1
        ? 'The first day is free. The trial begins immediately.'
        : `The first ${days} days are free. The trial begins immediately.`,
    on_payment: 'It begins when the first invoice is paid. The customer has 7 days for that.',
    immediate: 'It begins immediately. The first invoice is due as the billing settings say.',
    lead: (days: number) =>
      days === 0
        ? 'The invoice of a period is issued when the period begins, and is due at that moment.'
        : days === 1
          ? 'The invoice of a period is issued 1 day before the period begins, and is due when it begins.'
          : `The invoice of a period is issued ${days} days before the period begins, and is due when it begins.`,
    grace: {
      cancel: (days: number) =>
        days === 0
          ? 'If it is not paid then, the subscription is canceled immediately and the invoice is voided.'
          : days === 1
            ? 'If it is not paid then, the customer keeps access for 1 day. After that, the subscription is canceled and the invoice is voided.'
            : `If it is not paid then, the customer keeps access for ${days} days. After that, the subscription is canceled and the invoice is voided.`,
      pause: (days: number) =>
        days === 0
          ? 'If it is not paid then, the subscription is paused immediately and the invoice is voided.'
          : days === 1
            ? 'If it is not paid then, the customer keeps access for 1 day. After that, the subscription is paused and the invoice is voided.'
            : `If it is not paid then, the customer keeps access for ${days} days. After that, the subscription is paused and the invoice is voided.`,
    },
    periods: (count: number) => (count === 1 ? 'It ends after 1 period.' : `It ends after ${count} periods.`),
    endless: 'It runs until it is canceled.',
    assets: (names: string) => `It can be paid with ${names}.`,
  },
  archive: {
    button: 'Archive',
    title: 'Archive this plan?',
    what: (count: number) =>
      count === 0
        ? 'Its page closes, and no new customer can subscribe. This cannot be undone.'
        : count === 1
          ? 'Its page closes, and no new customer can subscribe. The 1 subscription that it has goes on as before. This cannot be undone.'
          : `Its page closes, and no new customer can subscribe. The ${count} subscriptions that it has go on as before. This cannot be undone.`,
    no: 'Keep it active',
    done: 'The plan is archived',
  },
  edit: {
    button: 'Edit',
    title: 'Edit plan',
    what: 'The price and the terms of a plan never change. For others, create a new plan.',
    no: 'Cancel',
    yes: 'Save',
    done: 'Plan saved',
  },
  form: {
    title: 'New plan',
    what: 'Its price and its terms never change, so that every customer knows what was agreed.',
    nameHint: 'Customers see it on the page of the plan, such as “Lamp of the month”.',
    nameEmpty: 'Enter a name.',
    descriptionHint: 'Customers see it on the page of the plan.',
    interval: 'Length of a period',
    intervalCount: 'Number',
    unit: 'Unit',
    units: {
      day: (count: number) => (count === 1 ? 'day' : 'days'),
      week: (count: number) => (count === 1 ? 'week' : 'weeks'),
      month: (count: number) => (count === 1 ? 'month' : 'months'),
      year: (count: number) => (count === 1 ? 'year' : 'years'),
    },
    intervalHint: 'From 1 to 12. Periods are counted from the day on which a subscription begins.',
    countWrong: 'Enter a whole number from 1 to 12.',
    trial: 'Free trial, in days',
    trialHint: 'From 0 to 730. With 0 there is no trial. The first period begins when the trial ends.',
    trialWrong: 'Enter a whole number from 0 to 730.',
    activation: 'Begin of a subscription',
    activations: { on_payment: 'When the first invoice is paid', immediate: 'Immediately' },
    activationsWhat: {
      on_payment: 'If it is not paid within 7 days, it expires and never begins.',
      immediate: 'The customer has access before paying. For customers that you know.',
    },
    activationTrial: 'With a trial, it always begins immediately.',
    grace: 'Grace, in days',
    graceHint: (most: number, usual: number) =>
      most === 0
        ? 'How long a customer who has not paid keeps access. It must be shorter than a period, so it is 0 here.'
        : `How long a customer who has not paid keeps access. It must be shorter than a period: from 0 to ${most}. If empty, ${usual}.`,
    lead: 'Days from invoice to period',
    leadHint: (most: number, usual: number) =>
      most === 0
        ? 'How long before its period an invoice is issued. It must be shorter than a period, so it is 0 here.'
        : `How long before its period an invoice is issued. It must be shorter than a period: from 0 to ${most}. If empty, ${usual}.`,
    daysWrong: (most: number) => (most === 0 ? 'Only 0 is possible here.' : `Enter a whole number from 0 to ${most}.`),
    afterGrace: 'When the grace is over',
    afterGraces: { cancel: 'Cancel the subscription', pause: 'Pause the subscription' },
    afterGracesWhat: {
      cancel: 'It ends. The customer has to subscribe again.',
      pause: 'It rests without invoices, until you resume it.',
    },
    more: 'Invoices, number of periods, assets and more',
    maxPeriods: 'Number of periods',
    maxPeriodsHint: 'From 1 to 10,000. Without a number, it runs until it is canceled.',
    maxPeriodsWrong: 'Enter a whole number from 1 to 10,000.',
    referenceHint: 'Your own, such as an ID in your shop. Each plan has its own.',
    referenceTaken: (reference: string) => `${reference} is used by another plan. Choose another reference.`,
    usedBy: 'Open that plan',
    summary: 'What your customers agree to',
    summaryName: 'Name of the plan',
    submit: (price: string) => `Create plan for ${price}`,
    submitUnpriced: 'Create plan',
    cancel: 'Cancel',
    done: 'Plan created',
  },
}
