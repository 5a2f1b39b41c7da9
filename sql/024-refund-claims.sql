-- Refunds whose customers are asked where to: each has a page of its own, found by a secret.
create table refund_claims (
  -- The refund's.
  id uuid primary key,
  -- SHA-256 of the secret, which is 256 random bits: what stands here finds a page for nobody.
  secret_hash bytea not null,
  -- The merchant is shown the page's address as often as they look, and may send it on again.
  sealed_secret text not null,
  expires_at timestamptz not null,

  constraint refund_claims_secret_hash_once unique (secret_hash),
  constraint refund_claims_secret_hash check (length(secret_hash) = 32)
);
select define_commit_rows('refund_claims');

-- Whoever named the destination of a refund by its page and has shown that it is theirs: the words that its key has
-- signed. In the commit that names it.
create table refund_destination_proofs (
  refund_id uuid primary key,
  address text not null,
  message text not null,
  signature text not null,
  proven_at timestamptz not null,

  constraint refund_destination_proofs_address check (address ~ '^0x[0-9a-fA-F]*$' and length(address) = 42),
  constraint refund_destination_proofs_signature check (signature ~ '^0x[0-9a-f]*$' and length(signature) = 132)
);
select define_commit_rows('refund_destination_proofs');
