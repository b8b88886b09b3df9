"""Secrets of clouds and of what runs on them."""

from __future__ import annotations

import base64
from functools import partial

from attacks.drawing import Draw
from attacks.secrets_kinds import token, weak

T, W = partial(token, "cloud"), partial(weak, "cloud")
F, J = partial(token, "infrastructure"), partial(weak, "infrastructure")
D, E = partial(token, "databases"), partial(weak, "databases")


def bedrock(d: Draw) -> str:
    """Amazon's long-lived key: base64 of its name, the account and random bytes."""
    inner = f"BedrockAPIKey-{d.low(4)}-at-{d.digits(12)}:".encode() + d.of.randbytes(33)
    return "ABSK" + base64.b64encode(inner).decode()


def sas(d: Draw) -> str:
    """A shared access signature of a storage account."""
    return (
        "sv=2022-11-02&ss=bfqt&srt=sco&sp=rwdlacupiytfx&se=2027-03-01T10:00:00Z&st=2026-03-01T02:00:00Z"
        f"&spr=https&sig={d.quoted(d.raw(32))}"
    )


def fly(d: Draw) -> str:
    """A macaroon of Fly's."""
    return "FlyV1 fm2_" + d.raw(150) + ",fm2_" + d.raw(90)


CLOUD = (
    T("aws-access-key-id", "AWS: access key", "AWS_ACCESS_KEY_ID", lambda d: "AK" + "IA" + d.b32(16)),
    T("aws-temporary-key-id", "AWS: temporary key", "AWS_ACCESS_KEY_ID", lambda d: "AS" + "IA" + d.b32(16)),
    W("aws-secret-key", "AWS: secret access key", "AWS_SECRET_ACCESS_KEY", lambda d: d.raw(30)),
    T("aws-session-token", "AWS: session token", "AWS_SESSION_TOKEN", lambda d: "IQoJb3JpZ2luX2Vj" + d.raw(300)),
    T("aws-bedrock-key", "Amazon Bedrock: API key", "AWS_BEARER_TOKEN_BEDROCK", bedrock),
    T("aws-mws", "Amazon MWS: auth token", "MWS_AUTH_TOKEN", lambda d: "amzn." + "mws." + d.uuid()),
    W("aws-ses-smtp", "AWS SES: SMTP password", "SES_SMTP_PASSWORD", lambda d: "B" + d.raw(33)[1:]),
    T("gcp-api-key", "Google: API key", "GOOGLE_API_KEY", lambda d: "AI" + "za" + d.url(35)),
    T("gcp-client-secret", "Google: OAuth client secret", "GOOGLE_CLIENT_SECRET", lambda d: "GOC" + "SPX-" + d.url(28)),
    T("gcp-access-token", "Google: access token", "GOOGLE_OAUTH_TOKEN", lambda d: "ya29" + ".a0" + d.url(160)),
    T("gcp-refresh-token", "Google: refresh token", "GOOGLE_REFRESH_TOKEN", lambda d: "1/" + "/0" + d.url(98)),
    T("gcs-hmac", "GCS: HMAC secret", "GCS_HMAC_SECRET", lambda d: d.raw(30), sure=False),
    T("azure-storage", "Azure: storage connection secret", "AZURE_STORAGE_CONNECTION_STRING",
      lambda d: f"DefaultEndpointsProtocol=https;AccountName={d.low(9)};AccountKey={d.raw(64)};EndpointSuffix=core.windows.net"),
    W("azure-account-key", "Azure storage: account key", "AZURE_STORAGE_KEY", lambda d: d.raw(64)),
    T("azure-sas", "Azure: SAS token", "AZURE_STORAGE_SAS_TOKEN", sas),
    T("azure-sas-url", "Azure: SAS URL token", "UPLOAD_URL",
      lambda d: f"https://{d.low(9)}.blob.core.windows.net/backups?{sas(d)}"),
    T("azure-client-secret", "Azure AD: client secret", "AZURE_CLIENT_SECRET",
      lambda d: d.an(3) + d.digits(1) + "Q~" + d.some("abcdefgXYZ0123456789_.-", 33) + d.low(1)),
    T("azure-devops", "Azure DevOps: personal access token", "AZURE_DEVOPS_EXT_PAT", lambda d: d.an(76) + "AZDO" + d.an(4)),
    W("azure-devops-old", "Azure DevOps: access token", "SYSTEM_ACCESSTOKEN", lambda d: d.b32(52).lower()),
    T("azure-servicebus", "Azure: Service Bus secret", "SERVICEBUS_CONNECTION",
      lambda d: f"Endpoint=sb://{d.low(8)}.servicebus.windows.net/;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey={d.raw(32)}"),
    T("azure-cosmos", "Azure: Cosmos DB secret", "COSMOS_CONNECTION",
      lambda d: f"AccountEndpoint=https://{d.low(8)}.documents.azure.com:443/;AccountKey={d.raw(64)};"),
    T("azure-function", "Azure Functions: host key", "FUNCTIONS_KEY", lambda d: d.url(44) + "AzFu" + d.an(6) + "=="),
    T("azure-openai", "Azure OpenAI: API key", "AZURE_OPENAI_API_KEY",
      lambda d: d.an(52) + "JQQJ99" + d.an(18) + "ACOG" + d.an(4)),
    W("azure-openai-old", "Azure OpenAI: API key", "AZURE_OPENAI_KEY", lambda d: d.hex(32)),
    T("azure-registry", "Azure: registry password", "ACR_PASSWORD", lambda d: d.an(42) + "+ACR" + d.an(6)),
    T("digitalocean-pat", "DigitalOcean: access token", "DIGITALOCEAN_TOKEN", lambda d: "dop_" + "v1_" + d.hex(64)),
    T("digitalocean-oauth", "DigitalOcean: OAuth token", "DO_OAUTH_TOKEN", lambda d: "doo_" + "v1_" + d.hex(64)),
    W("digitalocean-spaces", "DigitalOcean Spaces: secret key", "SPACES_SECRET_ACCESS_KEY", lambda d: d.raw(33)[:43]),
    W("hetzner", "Hetzner Cloud: API token", "HCLOUD_TOKEN", lambda d: d.an(64)),
    W("linode", "Linode: API token", "LINODE_TOKEN", lambda d: d.hex(64)),
    W("ovh-secret", "OVH: application secret", "OVH_APPLICATION_SECRET", lambda d: d.hex(32)),
    W("ovh-consumer", "OVH: consumer key", "OVH_CONSUMER_KEY", lambda d: d.hex(32)),
    W("scaleway", "Scaleway: secret key", "SCW_SECRET_KEY", lambda d: d.uuid()),
    W("oracle-auth", "Oracle Cloud: auth token", "OCI_AUTH_TOKEN", lambda d: d.an(9) + d.pick(";", ")", "}") + d.an(10)),
    W("ibm-cloud", "IBM Cloud: API key", "IBMCLOUD_API_KEY", lambda d: d.url(44)),
    T("alibaba-id", "Alibaba Cloud: access key", "ALIBABA_CLOUD_ACCESS_KEY_ID", lambda d: "LT" + "AI5t" + d.an(18)),
    W("alibaba-secret", "Alibaba Cloud: access key secret", "ALIBABA_CLOUD_ACCESS_KEY_SECRET", lambda d: d.an(30)),
    T("tencent", "Tencent Cloud: secret id", "TENCENTCLOUD_SECRET_ID", lambda d: "AK" + "ID" + d.an(32)),
    W("vultr", "Vultr: API key", "VULTR_API_KEY", lambda d: d.up(36)),
    W("backblaze", "Backblaze B2: application key", "B2_APPLICATION_KEY", lambda d: "K005" + d.raw(21)[:27]),
    W("cloudflare-r2", "Cloudflare R2: secret access key", "R2_SECRET_ACCESS_KEY", lambda d: d.hex(64)),
)  # fmt: skip

INFRASTRUCTURE = (
    F("vault-service", "Vault: token", "VAULT_TOKEN", lambda d: "hvs" + ".CAESI" + d.url(90)),
    F("vault-batch", "Vault: batch token", "VAULT_TOKEN", lambda d: "hvb" + ".AAAAAQ" + d.url(140)),
    J("vault-old", "Vault: root token", "VAULT_TOKEN", lambda d: "s." + d.an(24)),
    J("vault-unseal", "Vault: unseal key", "VAULT_UNSEAL_KEY", lambda d: d.raw(33)),
    J("consul", "Consul: ACL token", "CONSUL_HTTP_TOKEN", lambda d: d.uuid()),
    F("terraform-cloud", "Terraform Cloud: API token", "TF_TOKEN_app_terraform_io",
      lambda d: d.an(14) + ".atlas" + "v1." + d.an(67)),
    F("pulumi", "Pulumi: access token", "PULUMI_ACCESS_TOKEN", lambda d: "pul" + "-" + d.hex(40)),
    F("doppler", "Doppler: service token", "DOPPLER_TOKEN", lambda d: "dp" + ".st.prd." + d.an(43)),
    F("onepassword-service", "1Password: service account token", "OP_SERVICE_ACCOUNT_TOKEN",
      lambda d: "ops" + "_eyJ" + d.raw(420)[:540]),
    F("onepassword-secret", "1Password: secret key", "OP_SECRET_KEY",
      lambda d: "A3-" + "-".join((d.up(6), d.up(6), *(d.up(5) for _ in range(4))))),
    J("bitwarden", "Bitwarden: access token", "BWS_ACCESS_TOKEN", lambda d: f"0.{d.uuid()}.{d.an(30)}:{d.raw(16)}"),
    F("tailscale", "Tailscale: auth key", "TS_AUTHKEY", lambda d: "tskey" + f"-auth-k{d.an(10)}CNTRL-{d.an(32)}"),
    J("ngrok", "ngrok: authtoken", "NGROK_AUTHTOKEN", lambda d: "2" + d.an(26) + "_" + d.an(21)),
    J("cloudflare-token", "Cloudflare: API token", "CLOUDFLARE_API_TOKEN", lambda d: d.url(40)),
    J("cloudflare-global", "Cloudflare: global API key", "CLOUDFLARE_API_KEY", lambda d: d.hex(37)),
    F("cloudflare-ca", "Cloudflare: origin CA key", "CLOUDFLARE_API_USER_SERVICE_KEY",
      lambda d: f"v1.0-{d.hex(24)}-{d.hex(146)}"),
    J("cloudflare-tunnel", "Cloudflare: tunnel token", "TUNNEL_TOKEN",
      lambda d: d.part({"a": d.hex(32), "t": d.uuid(), "s": d.raw(32)})),
    J("fastly", "Fastly: API token", "FASTLY_API_TOKEN", lambda d: d.url(32)),
    F("fly", "Fly.io: API token", "FLY_API_TOKEN", fly),
    F("fly-old", "Fly.io: access token", "FLY_ACCESS_TOKEN", lambda d: "fo1" + "_" + d.url(43)),
    J("vercel", "Vercel: token", "VERCEL_TOKEN", lambda d: d.an(24)),
    F("netlify", "Netlify: personal access token", "NETLIFY_AUTH_TOKEN", lambda d: "nf" + "p_" + d.an(36)),
    F("heroku", "Heroku: API key", "HEROKU_API_KEY", lambda d: "HRKU" + "-AA" + d.url(58)),
    J("heroku-old", "Heroku: API key", "HEROKU_API_KEY", lambda d: d.uuid()),
    F("render", "Render: API key", "RENDER_API_KEY", lambda d: "rn" + "d_" + d.an(28)),
    J("railway", "Railway: token", "RAILWAY_TOKEN", lambda d: d.uuid()),
    F("infisical", "Infisical: service token", "INFISICAL_TOKEN", lambda d: f"st.{d.hex(24)}.{d.hex(32)}.{d.hex(32)}"),
    J("k8s-bootstrap", "Kubernetes: bootstrap token", "KUBEADM_TOKEN", lambda d: f"{d.low(6)}.{d.low(16)}"),
    F("k8s-account", "Kubernetes: service account token", "KUBE_TOKEN",
      lambda d: d.jwt(iss="kubernetes/serviceaccount", aud=["https://kubernetes.default.svc"])),
    F("openshift", "OpenShift: token", "OC_TOKEN", lambda d: "sha256" + "~" + d.url(43)),
    F("rancher", "Rancher: bearer token", "RANCHER_TOKEN", lambda d: f"token-{d.low(5)}:{d.low(54)}"),
    J("portainer", "Portainer: access token", "PORTAINER_TOKEN", lambda d: "ptr_" + d.raw(32)),
    J("ansible-vault", "Ansible vault: password", "ANSIBLE_VAULT_PASSWORD", Draw.plain_pw),
    J("zerotier", "ZeroTier: API token", "ZEROTIER_CENTRAL_TOKEN", lambda d: d.an(32)),
)  # fmt: skip

DATABASES = (
    D("postgres-uri", "Postgres: connection secret", "DATABASE_URL",
      lambda d: f"postgres://{d.name()}:{d.plain_pw()}@{d.host()}:5432/shop?sslmode=require"),
    D("mysql-uri", "MySQL: connection secret", "DATABASE_URL",
      lambda d: f"mysql://{d.name()}:{d.plain_pw()}@{d.host()}/orders"),
    D("mongodb-uri", "MongoDB: connection secret", "MONGODB_URI",
      lambda d: f"mongodb+srv://{d.name()}:{d.plain_pw()}@cluster0.{d.low(5)}.mongodb.net/?retryWrites=true"),
    D("redis-uri", "Redis: connection secret", "REDIS_URL", lambda d: f"rediss://:{d.plain_pw()}@{d.host()}:6380/0"),
    D("amqp-uri", "RabbitMQ: connection secret", "CELERY_BROKER",
      lambda d: f"amqp://{d.name()}:{d.quoted(d.pw())}@{d.host()}:5672/jobs"),
    D("sqlalchemy-uri", "SQLAlchemy: connection secret", "SQLALCHEMY_DATABASE_URI",
      lambda d: f"postgresql+psycopg2://{d.name()}:{d.plain_pw()}@{d.host()}/app"),
    D("jdbc", "JDBC: connection secret", "JDBC_URL",
      lambda d: f"jdbc:postgresql://{d.host()}:5432/app?user={d.name()}&password={d.plain_pw()}"),
    D("mssql", "SQL Server: connection secret", "ConnectionStrings__Default",
      lambda d: f"Server=tcp:{d.host()},1433;Database=erp;User Id=sa;Password={d.plain_pw()};Encrypt=true"),
    D("odbc", "ODBC: connection secret", "ODBC_DSN",
      lambda d: f"DRIVER=FreeTDS;SERVER={d.host()};UID={d.name()};PWD={d.plain_pw()}"),
    D("libpq", "Postgres: DSN secret", "PG_DSN",
      lambda d: f"host={d.host()} port=5432 dbname=app user={d.name()} password={d.plain_pw()}"),
    D("cockroach-uri", "CockroachDB: connection secret", "DATABASE_URL",
      lambda d: f"postgresql://{d.name()}:{d.url(22)}@free-tier.gcp-us-1.cockroachlabs.cloud:26257/defaultdb"),
    D("planetscale-password", "PlanetScale: password", "PLANETSCALE_PASSWORD", lambda d: "pscale" + "_pw_" + d.url(43)),
    D("planetscale-token", "PlanetScale: service token", "PLANETSCALE_SERVICE_TOKEN", lambda d: "pscale" + "_tkn_" + d.url(43)),
    D("supabase-pat", "Supabase: access token", "SUPABASE_ACCESS_TOKEN", lambda d: "sb" + "p_" + d.hex(40)),
    D("supabase-secret", "Supabase: secret key", "SUPABASE_SECRET_KEY", lambda d: "sb_" + f"secret_{d.url(22)}_{d.an(8)}"),
    D("supabase-role", "Supabase: service role key", "SUPABASE_SERVICE_ROLE_KEY",
      lambda d: d.jwt(iss="supabase", ref=d.low(20), role="service_role")),
    D("neon-key", "Neon: API key", "NEON_API_KEY", lambda d: "nap" + "i_" + d.low(64)),
    E("neon-password", "Neon: password", "PGPASSWORD", lambda d: "npg" + "_" + d.an(12)),
    D("databricks", "Databricks: access token", "DATABRICKS_TOKEN", lambda d: "dap" + "i" + d.hex(32)),
    E("snowflake", "Snowflake: password", "SNOWFLAKE_PASSWORD", Draw.plain_pw),
    E("atlas", "MongoDB Atlas: private key", "MONGODB_ATLAS_PRIVATE_KEY", lambda d: d.uuid()),
    E("upstash", "Upstash: REST token", "UPSTASH_REDIS_REST_TOKEN", lambda d: "AX" + d.raw(42)[2:]),
    E("turso", "Turso: auth token", "TURSO_AUTH_TOKEN", lambda d: d.jwt(a="rw", gid=d.uuid())),
    E("influx", "InfluxDB: token", "INFLUX_TOKEN", lambda d: d.raw(64)),
    D("aiven", "Aiven: password", "AIVEN_PASSWORD", lambda d: "AVN" + "S_" + d.url(19)),
    E("elastic", "Elasticsearch: API key", "ELASTIC_API_KEY", lambda d: d.raw(45)),
    E("clickhouse", "ClickHouse: password", "CLICKHOUSE_PASSWORD", lambda d: d.url(16)),
)  # fmt: skip
