terraform {
  backend "http" {}
}

variable "database_url" {
  type = string
}

resource "terraform_data" "workers" {
  input = { database = var.database_url }
}
