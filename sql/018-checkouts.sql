-- What a customer proves with that a payment is theirs: made when they open a checkout, and told once.
create table checkouts (
  payment_id uuid primary key,
  -- SHA-256 of the client secret, which is 256 random bits: nobody gets back from one to the other.
  secret_hash bytea not null,

  constraint checkouts_secret_hash check (length(secret_hash) = 32)
);
select define_commit_rows('checkouts');
