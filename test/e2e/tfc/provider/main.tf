# Every resource type and data source of the tfe provider that the test applies, imports and destroys.
terraform {
  required_providers {
    tfe = { source = "hashicorp/tfe" }
  }
}

variable "hostname" { type = string }
variable "hook" { type = string }
variable "gpg_key" { type = string }

provider "tfe" {
  hostname = var.hostname
}

resource "tfe_organization" "this" {
  name  = "provided"
  email = "owner@example.com"
}

resource "tfe_organization_default_settings" "this" {
  organization           = tfe_organization.this.name
  default_execution_mode = "local"
}

resource "tfe_project" "this" {
  organization = tfe_organization.this.name
  name         = "platform"
  description  = "what everything stands on"
}

resource "tfe_workspace" "network" {
  organization      = tfe_organization.this.name
  name              = "prod--network"
  project_id        = tfe_project.this.id
  description       = "the network"
  terraform_version = "1.11.4"
  tags              = { env = "prod" }
  force_delete      = true
}

resource "tfe_workspace" "app" {
  organization = tfe_organization.this.name
  name         = "prod--app"
}

resource "tfe_workspace_settings" "app" {
  workspace_id              = tfe_workspace.app.id
  execution_mode            = "local"
  global_remote_state       = false
  remote_state_consumer_ids = [tfe_workspace.network.id]
}

resource "tfe_run_trigger" "this" {
  workspace_id  = tfe_workspace.app.id
  sourceable_id = tfe_workspace.network.id
}

resource "tfe_variable" "zone" {
  workspace_id = tfe_workspace.app.id
  key          = "zone"
  value        = "eu-1"
  category     = "terraform"
}

resource "tfe_variable" "secret" {
  workspace_id = tfe_workspace.app.id
  key          = "TOKEN"
  value        = "s3cret"
  category     = "env"
  sensitive    = true
}

resource "tfe_variable_set" "this" {
  organization = tfe_organization.this.name
  name         = "common"
  description  = "for most"
}

resource "tfe_variable" "common" {
  variable_set_id = tfe_variable_set.this.id
  key             = "tags"
  value           = "{ a = 1 }"
  category        = "terraform"
  hcl             = true
}

resource "tfe_workspace_variable_set" "this" {
  variable_set_id = tfe_variable_set.this.id
  workspace_id    = tfe_workspace.app.id
}

resource "tfe_project_variable_set" "this" {
  variable_set_id = tfe_variable_set.this.id
  project_id      = tfe_project.this.id
}

resource "tfe_team" "ops" {
  organization = tfe_organization.this.name
  name         = "ops"
  organization_access {
    manage_workspaces = true
  }
}

resource "tfe_team_access" "ops" {
  team_id      = tfe_team.ops.id
  workspace_id = tfe_workspace.app.id
  access       = "plan"
}

resource "tfe_team_access" "custom" {
  team_id      = tfe_team.ops.id
  workspace_id = tfe_workspace.network.id
  permissions {
    runs              = "plan"
    variables         = "read"
    state_versions    = "read"
    sentinel_mocks    = "none"
    workspace_locking = true
    run_tasks         = false
  }
}

resource "tfe_team_project_access" "ops" {
  team_id    = tfe_team.ops.id
  project_id = tfe_project.this.id
  access     = "write"
}

resource "tfe_team_token" "ops" {
  team_id = tfe_team.ops.id
}

resource "tfe_organization_membership" "new" {
  organization = tfe_organization.this.name
  email        = "new@example.com"
}

resource "tfe_team_organization_member" "new" {
  team_id                    = tfe_team.ops.id
  organization_membership_id = tfe_organization_membership.new.id
}

resource "tfe_organization_token" "this" {
  organization = tfe_organization.this.name
}

resource "tfe_agent_pool" "this" {
  organization        = tfe_organization.this.name
  name                = "inside"
  organization_scoped = false
}

resource "tfe_agent_pool_allowed_workspaces" "this" {
  agent_pool_id         = tfe_agent_pool.this.id
  allowed_workspace_ids = [tfe_workspace.app.id]
}

resource "tfe_agent_pool_excluded_workspaces" "this" {
  agent_pool_id          = tfe_agent_pool.this.id
  excluded_workspace_ids = [tfe_workspace.network.id]
}

resource "tfe_agent_token" "this" {
  agent_pool_id = tfe_agent_pool.this.id
  description   = "first"
}

resource "tfe_ssh_key" "this" {
  organization = tfe_organization.this.name
  name         = "modules"
  key          = "-----BEGIN OPENSSH PRIVATE KEY-----\nx\n-----END OPENSSH PRIVATE KEY-----"
}

resource "tfe_notification_configuration" "this" {
  workspace_id     = tfe_workspace.app.id
  name             = "hook"
  enabled          = true
  destination_type = "generic"
  url              = var.hook
  triggers         = ["run:completed", "run:errored"]
}

resource "tfe_team_notification_configuration" "this" {
  team_id          = tfe_team.ops.id
  name             = "hook"
  enabled          = true
  destination_type = "generic"
  url              = var.hook
  triggers         = ["change_request:created"]
}

resource "tfe_policy" "this" {
  organization = tfe_organization.this.name
  name         = "no-deletes"
  kind         = "opa"
  query        = "data.taco.deny"
  policy       = "package taco\n"
  enforce_mode = "advisory"
}

resource "tfe_policy_set" "this" {
  organization = tfe_organization.this.name
  name         = "rules"
  kind         = "opa"
  policy_ids   = [tfe_policy.this.id]
}

resource "tfe_policy_set_parameter" "this" {
  policy_set_id = tfe_policy_set.this.id
  key           = "limit"
  value         = "1"
}

resource "tfe_workspace_policy_set" "this" {
  policy_set_id = tfe_policy_set.this.id
  workspace_id  = tfe_workspace.app.id
}

resource "tfe_workspace_policy_set_exclusion" "this" {
  policy_set_id = tfe_policy_set.this.id
  workspace_id  = tfe_workspace.network.id
}

resource "tfe_project_policy_set" "this" {
  policy_set_id = tfe_policy_set.this.id
  project_id    = tfe_project.this.id
}

resource "tfe_organization_run_task" "this" {
  organization = tfe_organization.this.name
  name         = "scan"
  url          = var.hook
  enabled      = true
}

resource "tfe_workspace_run_task" "this" {
  workspace_id      = tfe_workspace.app.id
  task_id           = tfe_organization_run_task.this.id
  enforcement_level = "advisory"
}

resource "tfe_oauth_client" "this" {
  organization        = tfe_organization.this.name
  name                = "hub"
  api_url             = "https://api.github.com"
  http_url            = "https://github.com"
  oauth_token         = "ghp_secret"
  service_provider    = "github"
  organization_scoped = false
}

resource "tfe_project_oauth_client" "this" {
  oauth_client_id = tfe_oauth_client.this.id
  project_id      = tfe_project.this.id
}

resource "tfe_registry_module" "this" {
  organization    = tfe_organization.this.name
  module_provider = "null"
  name            = "vpc"
  registry_name   = "private"
}

resource "tfe_no_code_module" "this" {
  organization    = tfe_organization.this.name
  registry_module = tfe_registry_module.this.id
}

resource "tfe_registry_provider" "this" {
  organization = tfe_organization.this.name
  name         = "demo"
}

resource "tfe_registry_gpg_key" "this" {
  organization = tfe_organization.this.name
  ascii_armor  = var.gpg_key
}

data "tfe_organization" "this" {
  name = tfe_organization.this.name
}

data "tfe_organizations" "all" {
  depends_on = [tfe_organization.this]
}

data "tfe_project" "this" {
  organization = tfe_organization.this.name
  name         = tfe_project.this.name
}

data "tfe_projects" "all" {
  organization = tfe_project.this.organization
}

data "tfe_workspace" "app" {
  organization = tfe_organization.this.name
  name         = tfe_workspace.app.name
}

data "tfe_workspace_ids" "prod" {
  organization = tfe_organization.this.name
  names        = [tfe_workspace.app.name, tfe_workspace.network.name]
}

data "tfe_team" "ops" {
  organization = tfe_organization.this.name
  name         = tfe_team.ops.name
}

data "tfe_teams" "all" {
  organization = tfe_team.ops.organization
}

data "tfe_team_access" "ops" {
  team_id      = tfe_team_access.ops.team_id
  workspace_id = tfe_team_access.ops.workspace_id
}

data "tfe_variables" "app" {
  workspace_id = tfe_variable.zone.workspace_id
}

data "tfe_variable_set" "this" {
  organization = tfe_organization.this.name
  name         = tfe_variable_set.this.name
}

data "tfe_agent_pool" "this" {
  organization = tfe_organization.this.name
  name         = tfe_agent_pool.this.name
}

data "tfe_ssh_key" "this" {
  organization = tfe_organization.this.name
  name         = tfe_ssh_key.this.name
}

data "tfe_policy_set" "this" {
  organization = tfe_organization.this.name
  name         = tfe_policy_set.this.name
}

data "tfe_organization_run_task" "this" {
  organization = tfe_organization.this.name
  name         = tfe_organization_run_task.this.name
}

data "tfe_oauth_client" "this" {
  oauth_client_id = tfe_oauth_client.this.id
}

data "tfe_organization_membership" "new" {
  organization = tfe_organization.this.name
  email        = tfe_organization_membership.new.email
}

data "tfe_registry_module" "this" {
  organization    = tfe_organization.this.name
  name            = tfe_registry_module.this.name
  module_provider = "null"
}

data "tfe_registry_gpg_keys" "all" {
  organization = tfe_registry_gpg_key.this.organization
}

data "tfe_registry_providers" "all" {
  organization = tfe_registry_provider.this.organization
}

output "workspace" {
  value = data.tfe_workspace.app.id == tfe_workspace.app.id
}
