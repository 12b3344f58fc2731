terraform {
  backend "http" {}
}

variable "subnet_ids" {
  type = list(string)
}

variable "database_url" {
  type = string
}

resource "terraform_data" "servers" {
  input = { subnets = var.subnet_ids, database = var.database_url }
}

output "address" {
  value = "203.0.113.10"
}
